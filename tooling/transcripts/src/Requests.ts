import { type IncomingHttpHeaders, Agent as PlainAgent, request as plainRequest } from "node:http"
import { Agent, request as tlsRequest } from "node:https"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { Json, Who } from "./Case.ts"
import { recordedJson } from "./recordedJson.ts"
import type { Target } from "./Target.ts"

/** An HTTP response. */
export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** Returns all values of a header, including repeated ones. */
  readonly valuesOf: (name: string) => ReadonlyArray<string>
  readonly body: Buffer
}

/** An HTTP request. */
export interface Question {
  readonly method: string
  readonly path: string
  /** A string is sent unchanged, anything else as JSON. */
  readonly body?: Json
  /** A body that is no text. */
  readonly bytes?: Buffer
  readonly headers?: Readonly<Record<string, string>>
  /** The user who sends it (default: admin). */
  readonly as?: Who
  /** The User-Agent. */
  readonly agent?: string
  /** Whether it uses a new connection. */
  readonly fresh?: boolean
}

/** A request without a response. */
export class NoAnswer extends Schema.TaggedError<NoAnswer>()("NoAnswer", {
  message: Schema.String
}) {}

/** Sends a request. */
export type Ask = (question: Question) => Effect.Effect<Answer, NoAnswer>

const TIMEOUT_MS = 60_000

/** Makes the client of a target, which sends requests as the users of cases until the scope closes. */
export const makeRequests = (target: Target): Effect.Effect<Ask, never, Scope.Scope> =>
  Effect.gen(function* () {
    const secure = target.server.startsWith("https:")
    const agent = yield* Effect.acquireRelease(
      Effect.sync(() => (secure ? new Agent({ keepAlive: true }) : new PlainAgent({ keepAlive: true }))),
      (made) => Effect.sync(() => made.destroy())
    )
    return (question) =>
      Effect.callback<Answer, NoAnswer>((resume) => {
        const { agent: userAgent = "setup/1.0", as = "admin", fresh = false, method, path } = question
        const { cert, impersonate, key, token } = target.identities[as]
        const isText = typeof question.body === "string"
        const text =
          question.body === undefined || typeof question.body === "string" ? question.body : recordedJson(question.body)
        const data = question.bytes ?? (text === undefined ? undefined : Buffer.from(text))
        const headers: Record<string, string | Array<string>> = {
          "User-Agent": userAgent,
          ...(token !== undefined && { Authorization: `Bearer ${token}` }),
          ...(impersonate !== undefined && { "Impersonate-User": impersonate.user }),
          ...(text !== undefined && !isText && { "Content-Type": "application/json" }),
          ...(data !== undefined && { "Content-Length": String(data.length) }),
          ...question.headers
        }
        // A step may impersonate another user; the groups of its context then come after its own.
        const groups = [headers["Impersonate-Group"] ?? [], impersonate?.groups ?? []].flat()
        if (groups.length > 0) headers["Impersonate-Group"] = groups
        const options = {
          method,
          headers,
          // As the step has it: a URL would resolve dots in it.
          path,
          agent: fresh ? false : agent,
          ...(secure && {
            ca: target.ca,
            cert,
            key,
            rejectUnauthorized: target.insecure !== true
          })
        }
        const fail = (cause: Error) =>
          resume(Effect.fail(new NoAnswer({ message: `${method} ${path}: ${cause.message}` })))
        const sent = (secure ? tlsRequest : plainRequest)(new URL(target.server), options, (response) => {
          const chunks: Array<Buffer> = []
          response.on("data", (chunk: Buffer) => chunks.push(chunk))
          response.on("error", fail)
          response.on("end", () =>
            resume(
              Effect.succeed({
                status: response.statusCode ?? 0,
                headers: response.headers,
                valuesOf: (name) => response.headersDistinct[name.toLowerCase()] ?? [],
                body: Buffer.concat(chunks)
              })
            )
          )
        })
        sent.setTimeout(TIMEOUT_MS, () => sent.destroy(new Error("no answer within a minute")))
        sent.on("error", fail)
        sent.end(data)
        return Effect.sync(() => sent.destroy())
      })
  })
