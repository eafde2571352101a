import type { HttpResponse } from "./HttpPort.ts"

/** What is handed to a response at once: a client that reads slowly is seen to read, and node holds no more than this of an answer. */
export const PIECE_BYTES = 256 * 1024

/** Ends a response with a large body, in pieces as the client reads; `handed` is told of each. */
export const pump = (response: HttpResponse, body: Buffer, handed: (bytes: number) => void): void => {
  let at = 0
  const more = () => {
    if (response.destroyed) return
    while (at < body.length) {
      const piece = body.subarray(at, at + PIECE_BYTES)
      at += piece.length
      handed(piece.length)
      if (at === body.length) response.end(piece)
      else if (response.write(piece) === false) return
    }
  }
  response.on("drain", more)
  more()
}
