import type { IncomingMessage } from "node:http"
import type { Call } from "../call/Call.ts"
import { isPassedBack } from "./forwardedHeaders.ts"

/** What is changed of the headers of an answer that is passed back. */
export interface PassedHeaders {
  /** Whether a header, whose name is in lower case, is left out. */
  readonly isDropped?: (name: string) => boolean
  /** Whether the headers of this server's own answers are left out. */
  readonly isAsItIs?: boolean
  /** Where the client is redirected to. */
  readonly location?: string | undefined
}

const NOTHING: PassedHeaders = {}

/** Passes an answer back; a client that reads slowly slows the server down that answers. */
export const passBack = (
  call: Call,
  answer: IncomingMessage,
  { isAsItIs, isDropped, location }: PassedHeaders = NOTHING
): void => {
  const { response } = call
  const code = answer.statusCode ?? 502
  response.statusCode = code
  const { rawHeaders } = answer
  const values = new Map<string, Array<string>>()
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ""
    const lower = name.toLowerCase()
    if (!isPassedBack(lower) || isDropped?.(lower) === true) continue
    const known = values.get(name) ?? []
    known.push(lower === "location" && location !== undefined ? location : (rawHeaders[index + 1] ?? ""))
    values.set(name, known)
  }
  if (isAsItIs !== true) response.setHeader("Cache-Control", "no-cache, private")
  for (const [name, all] of values) response.setHeader(name, all.length === 1 ? (all[0] ?? "") : all)
  call.done(code)
  response.flushHeaders()
  passBody(call, answer)
}

/** Passes the body of an answer back, at the pace of the client. One that breaks off ends the client's connection. */
export const passBody = (call: Call, answer: IncomingMessage): void => {
  const { response } = call
  answer.on("data", (chunk: Buffer) => {
    call.sentBytes += chunk.length
    if (response.write(chunk) === false) answer.pause()
  })
  response.on("drain", () => answer.resume())
  answer.on("end", () => response.end())
  answer.on("error", () => response.destroy())
}
