import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from "node:http"
import { makeMemoryStore, Store, type StoreShape } from "@rollcall/store"
import { layerWallClock, MetricSet, Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { type DynamicAdmissionOptions, dynamicAdmission } from "../../src/admission/index.ts"
import { ApiServer, type ApiServerShape } from "../../src/core/index.ts"
import { makeUid, SeededRandom } from "../../src/core/registry/SeededRandom.ts"
import { type CustomResourcesPlan, customResources } from "../../src/custom/index.ts"
import { type PriorityAndFairnessOptions, priorityAndFairness } from "../../src/http/flowcontrol/index.ts"
import {
  type HandlerOptions,
  type ListenOptions,
  listen,
  makeHandler,
  verifiedCertificate,
  versionInfo
} from "../../src/http/index.ts"
import { securityPlan } from "../../src/security/index.ts"

export interface Answer {
  readonly code: number
  readonly headers: IncomingHttpHeaders
  readonly bytes: Buffer
  readonly body: string
  // biome-ignore lint/suspicious/noExplicitAny: JSON of many shapes
  readonly json: any
}

export interface AskOptions {
  readonly headers?: Readonly<Record<string, string | ReadonlyArray<string>>>
  readonly body?: unknown
  /** The bearer token; by default `admin`, who may do everything. Empty for an anonymous request. */
  readonly token?: string
}

/** A server that listens on a free port until the scope closes. */
export interface RunningServer {
  readonly server: ApiServerShape
  readonly port: number
  readonly ask: (method: string, path: string, asking?: AskOptions) => Effect.Effect<Answer>
  /** Opens a stream: calls `line` for each line, and `end` at its end. Returns a function that cuts it. */
  readonly stream: (path: string, sink: { line: (line: string) => void; end: () => void }) => () => void
}

const bytesOf = (body: unknown): Buffer | undefined => {
  if (body === undefined) return undefined
  if (body instanceof Uint8Array) return Buffer.from(body)
  return Buffer.from(typeof body === "string" ? body : JSON.stringify(body))
}

const parseJson = (body: string): unknown => {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

const collectAnswer = (response: IncomingMessage, done: (answer: Answer) => void) => {
  const chunks: Array<Buffer> = []
  response.on("data", (chunk: Buffer) => chunks.push(chunk))
  response.on("end", () => {
    const bytes = Buffer.concat(chunks)
    const body = bytes.toString()
    done({ code: response.statusCode ?? 0, headers: response.headers, bytes, body, json: parseJson(body) })
  })
}

/** Makes a memory store that several servers can use, one after another. */
export const sharedStore = Effect.map(Timers, (timers) => makeMemoryStore(timers))

export interface ServerOptions extends Partial<HandlerOptions> {
  /** Enables API Priority and Fairness with these options, instead of the limits of requests in flight. */
  readonly fair?: Partial<PriorityAndFairnessOptions>
  readonly admission?: DynamicAdmissionOptions
  /** How custom resources are served; by default as in virtual time. */
  readonly custom?: CustomResourcesPlan
  /** Who issues tokens of service accounts; by default no one. */
  readonly issuing?: { readonly issuer: string; readonly privateKeyPem: string }
}

export const startServer = (
  { admission, custom = customResources, fair, issuing, ...options }: ServerOptions = {},
  store?: StoreShape,
  listening: Partial<ListenOptions> = {}
): Effect.Effect<RunningServer, never, Timers | Scope.Scope> =>
  Effect.gen(function* () {
    const timers = yield* Timers
    const stored = Layer.succeed(Store, store ?? makeMemoryStore(timers))
    const context = yield* Layer.build(
      ApiServer.layer({
        managedFields: true,
        metrics: { set: new MetricSet(), now: timers.now },
        customResources: custom,
        dynamicAdmission: dynamicAdmission(admission),
        security: securityPlan({
          modes: ["Node", "RBAC"],
          ...(issuing === undefined ? {} : { serviceAccounts: issuing }),
          tokens: [
            { token: "admin", user: "admin", groups: ["system:masters"] },
            { token: "alice", user: "alice" }
          ]
        })
      }).pipe(Layer.provide(stored))
    )
    const server = yield* Effect.provide(ApiServer, context)
    const { security } = server
    if (security === undefined) return yield* Effect.die("no security")
    const random = new SeededRandom([1, 2, 3])
    const handler = makeHandler({
      server,
      timers,
      ...security,
      certificateOf: ({ request }) => verifiedCertificate(request),
      random: () => 0.5,
      makeId: () => makeUid(random),
      version: versionInfo("v1.36.2"),
      address: () => "localhost",
      ...(fair === undefined ? {} : { flowControl: yield* priorityAndFairness({ server, timers, ...fair }) }),
      ...options
    })
    const { port } = yield* listen(handler, { host: "127.0.0.1", port: 0, ...listening })
    const headersOf = ({ body, headers = {}, token = "admin" }: AskOptions = {}) => ({
      ...(token === "" ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers
    })
    const served: RunningServer = {
      server,
      port,
      ask: (method, path, asking = {}) =>
        Effect.callback<Answer>((resume) => {
          const bytes = bytesOf(asking.body)
          const headers = headersOf(asking) as Record<string, string>
          const sent = httpRequest({ port, method, path, headers, agent: false }, (response) =>
            collectAnswer(response, (answer) => resume(Effect.succeed(answer)))
          )
          sent.on("error", (error) => resume(Effect.die(error)))
          sent.end(bytes)
        }),
      stream: (path, sink) => {
        const sent = httpRequest({ port, path, headers: headersOf(), agent: false }, (response) => {
          let rest = ""
          response.on("data", (chunk: Buffer) => {
            const lines = (rest + chunk.toString()).split("\n")
            rest = lines.pop() ?? ""
            for (const line of lines) sink.line(line)
          })
          response.on("close", sink.end)
        })
        sent.on("error", sink.end)
        sent.end()
        return () => sent.destroy()
      }
    }
    return served
  }).pipe(Effect.orDie)

export const wallClock = layerWallClock()
