import type { Readable } from "node:stream"
import { gunzip } from "node:zlib"
import * as Result from "effect/Result"

/** Decodes text. A string has a maximum length of its own, which `maxBytes` may exceed. */
const textOf = (bytes: Buffer): Result.Result<string, string> => {
  try {
    return Result.succeed(bytes.toString("utf8"))
  } catch {
    return Result.fail(`the answer is too large for a text: ${bytes.length} bytes`)
  }
}

/** Collects the whole body, decompresses it, and calls `reply` once with its text or the reason of a failure. */
export const collectBody = (
  response: Readable,
  encoding: string | undefined,
  maxBytes: number,
  reply: (body: Result.Result<string, string>) => void
): void => {
  const chunks: Array<Buffer> = []
  let bytes = 0
  let isOver = false
  let hasEnded = false
  const finish = (body: Result.Result<string, string>) => {
    if (isOver) return
    isOver = true
    reply(body)
  }
  response.on("data", (chunk: Buffer) => {
    bytes += chunk.length
    if (isOver) return
    if (bytes <= maxBytes) return void chunks.push(chunk)
    chunks.length = 0
    finish(Result.fail(`the answer is larger than ${maxBytes} bytes`))
  })
  response.on("end", () => {
    hasEnded = true
    const bodyBytes = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)
    if (encoding !== "gzip") return finish(textOf(bodyBytes))
    gunzip(bodyBytes, { maxOutputLength: maxBytes }, (error, decompressed) =>
      finish(error === null ? textOf(decompressed) : Result.fail(`cannot be unpacked: ${error.message}`))
    )
  })
  response.on("error", (error) => finish(Result.fail(error.message)))
  response.on("close", () => {
    if (!hasEnded) finish(Result.fail("the connection was cut"))
  })
}
