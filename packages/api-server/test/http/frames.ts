import { frameOf } from "@rollcall/streams"

export const MASK = [1, 2, 3, 4]

/** A client's frame. */
export const masked = (first: number, payload: Uint8Array): Buffer => {
  const head = frameOf(first & 0x0f, payload).subarray(0, -payload.length || undefined)
  head[0] = first
  head[1] = (head[1] ?? 0) | 0x80
  return Buffer.concat([head, Buffer.from(MASK), payload.map((byte, at) => byte ^ (MASK[at % 4] as number))])
}

/** The frames of a server, as opcode and payload. */
export const framesOf = (bytes: Buffer): ReadonlyArray<readonly [number, Buffer]> => {
  if (bytes.length === 0) return []
  const short = bytes[1] ?? 0
  const [at, length] = short < 126 ? [2, short] : [4, bytes.readUInt16BE(2)]
  return [[(bytes[0] ?? 0) & 0x0f, bytes.subarray(at, at + length)], ...framesOf(bytes.subarray(at + length))]
}
