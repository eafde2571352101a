import type { HttpRequest } from "./HttpPort.ts"

/** Upstream: apiserver/pkg/server/config.go, MaxRequestBodyBytes. */
export const MAX_BODY_BYTES = 3 * 1024 * 1024

export type BodyReply = (body: Buffer | "tooLarge" | "broken") => void

/** Reads a request's body whole; calls once. What is beyond the limit is thrown away as it comes. */
export const readBody = (request: HttpRequest, reply: BodyReply) => {
  const length = request.headers["content-length"]
  if (length !== undefined && Number(length) > MAX_BODY_BYTES) {
    request.resume()
    return reply("tooLarge")
  }
  let first: Buffer | undefined
  let more: Array<Buffer> | undefined
  let size = 0
  let open = true
  const finish = (body: Buffer | "tooLarge" | "broken") => {
    if (!open) return
    open = false
    reply(body)
  }
  request.on("data", (chunk: Buffer) => {
    if (!open) return
    size += chunk.length
    if (size > MAX_BODY_BYTES) {
      first = undefined
      more = undefined
      finish("tooLarge")
    } else if (first === undefined) first = chunk
    else if (more === undefined) more = [first, chunk]
    else more.push(chunk)
  })
  request.on("end", () => finish(more === undefined ? (first ?? EMPTY) : Buffer.concat(more)))
  request.on("error", () => finish("broken"))
}

const EMPTY = Buffer.alloc(0)
