/** Handmade HTTP/2 frames that no client library sends. RFC 9113. */
export const FrameType = {
  data: 0,
  headers: 1,
  resetStream: 3,
  settings: 4,
  ping: 6,
  goAway: 7,
  windowUpdate: 8,
  continuation: 9
} as const

export const PREFACE = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
export const END_STREAM = 1
export const END_HEADERS = 4

export const frame = (type: number, flags: number, stream: number, payload: Uint8Array = new Uint8Array()): Buffer => {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head[3] = type
  head[4] = flags
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}

/** Encodes a header as a literal without indexing. RFC 7541, 6.2.2. */
const literal = (name: string, value: string): Buffer => {
  const text = (of: string) => Buffer.concat([integer(Buffer.byteLength(of)), Buffer.from(of)])
  return Buffer.concat([Buffer.from([0]), text(name), text(value)])
}

/** Encodes an integer with a prefix of seven bits. RFC 7541, 5.1. */
const integer = (value: number): Buffer => {
  if (value < 127) return Buffer.from([value])
  const bytes = [127]
  let rest = value - 127
  while (rest >= 128) {
    bytes.push((rest % 128) + 128)
    rest = Math.floor(rest / 128)
  }
  return Buffer.from([...bytes, rest])
}

export const headerBlock = (headers: Readonly<Record<string, string>>): Buffer =>
  Buffer.concat(Object.entries(headers).map(([name, value]) => literal(name, value)))
