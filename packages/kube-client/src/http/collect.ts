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

/** Collects the whole body as text; a failure gives the reason. */
export const collect = (
  response: Readable,
  encoding: string | undefined,
  maxBytes: number,
  done: (body: Result.Result<string, string>) => void
): void => {
  const chunks: Array<Buffer> = []
  let bytes = 0
  let over = false
  let ended = false
  const finish = (body: Result.Result<string, string>) => {
    if (over) return
    over = true
    done(body)
  }
  response.on("data", (chunk: Buffer) => {
    bytes += chunk.length
    if (over) return
    if (bytes <= maxBytes) return void chunks.push(chunk)
    chunks.length = 0
    finish(Result.fail(`the answer is larger than ${maxBytes} bytes`))
  })
  response.on("end", () => {
    ended = true
    const whole = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)
    if (encoding !== "gzip") return finish(textOf(whole))
    gunzip(whole, { maxOutputLength: maxBytes }, (error, plain) =>
      finish(error === null ? textOf(plain) : Result.fail(`cannot be unpacked: ${error.message}`))
    )
  })
  response.on("error", (error) => finish(Result.fail(error.message)))
  response.on("close", () => {
    if (!ended) finish(Result.fail("the connection was cut"))
  })
}
