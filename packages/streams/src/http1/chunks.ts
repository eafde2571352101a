const LINE_END = "\r\n"

/** Buffers that have room for their framing, by their content. */
const framed = new WeakMap<Uint8Array, Buffer>()

const sizeLine = (bytes: number): string => `${bytes.toString(16)}${LINE_END}`

/**
 * Returns a buffer for a piece of bodies that is sent more than once: as a chunk it is sent from where it is. TLS copies the parts of
 * a write that has several.
 */
export const allocateChunk = (bytes: number): Buffer => {
  const start = sizeLine(bytes)
  const whole = Buffer.allocUnsafeSlow(start.length + bytes + LINE_END.length)
  whole.write(start, 0, "latin1")
  whole.write(LINE_END, start.length + bytes, "latin1")
  const content = whole.subarray(start.length, start.length + bytes)
  framed.set(content, whole)
  return content
}

/** Returns the chunk with this content, if it was allocated as one. */
export const allocatedChunk = (content: Uint8Array): Buffer | undefined => framed.get(content)

/** The chunk that was made last, and its content. */
let last: { readonly content: Uint8Array; readonly chunk: Buffer } | undefined

/** Returns bytes as a chunk, made once for the answers that get the same bytes one after the other: the events of watches. */
export const chunkOf = (content: Uint8Array): Buffer => {
  if (last?.content !== content) {
    const start = Buffer.from(sizeLine(content.length), "latin1")
    last = { content, chunk: Buffer.concat([start, content, Buffer.from(LINE_END, "latin1")]) }
  }
  return last.chunk
}
