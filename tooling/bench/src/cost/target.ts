import { ApiServer } from "@rollcall/api-server"
import { customResources } from "@rollcall/api-server/custom"
import { type Handler, type HttpRequest, type HttpResponse, makeHandler, versionInfo } from "@rollcall/api-server/http"
import { securityPlan } from "@rollcall/api-server/security"
import { makeMemoryStore, Store } from "@rollcall/store"
import { Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** One request as a client sends it. */
export interface Request {
  readonly method: string
  readonly path: string
  readonly contentType?: string
  readonly accept?: string
  readonly body?: string | Uint8Array
}

export interface Outcome {
  readonly code: number
  readonly bytes: number
  readonly text: string
  /** How long the call held the event loop, in processor time: others use the machine, too. */
  readonly ms: number
}

class Response implements HttpResponse {
  statusCode = 200
  headersSent = false
  destroyed = false
  writableLength = 0
  sent: Uint8Array | string = ""
  private readonly headers = new Set<string>()
  private closed: () => void = () => undefined
  setHeader(name: string): void {
    this.headers.add(name)
  }
  hasHeader(name: string): boolean {
    return this.headers.has(name)
  }
  flushHeaders(): void {}
  write(): void {}
  end(body: Uint8Array | string = ""): void {
    this.headersSent = true
    this.sent = body
    this.closed()
  }
  destroy(): void {}
  on(event: "close" | "drain", listener: () => void): void {
    if (event === "close") this.closed = listener
  }
}

const ask = (handler: Handler, { accept, body, contentType, method, path }: Request): Outcome => {
  const bytes = Buffer.from(body ?? "")
  const response = new Response()
  const headers = {
    authorization: "Bearer admin",
    ...(contentType === undefined ? {} : { "content-type": contentType }),
    ...(accept === undefined ? {} : { accept })
  }
  let read: (chunk: Buffer) => void = () => undefined
  let end: () => void = () => undefined
  const request: HttpRequest = {
    method,
    url: path,
    headers,
    rawHeaders: [],
    socket: {},
    destroy: () => undefined,
    on: (event: "data" | "end" | "error" | "aborted", listener: (chunk: Buffer) => void) => {
      if (event === "data") read = listener
      else if (event === "end") end = () => listener(bytes)
    }
  }
  const start = process.threadCpuUsage()
  handler.handle(request, response)
  read(bytes)
  end()
  const { system, user } = process.threadCpuUsage(start)
  const ms = (user + system) / 1000
  const text = typeof response.sent === "string" ? response.sent : Buffer.from(response.sent).toString("latin1")
  return { code: response.statusCode, bytes: response.sent.length, text, ms }
}

/** A server as `rollcalld` runs it, over a store in memory and without sockets: a call takes as long as it holds the event loop. */
export const makeTarget = Effect.gen(function* () {
  const timers = yield* Timers
  const security = securityPlan({
    modes: ["Node", "RBAC"],
    tokens: [{ token: "admin", user: "admin", groups: ["system:masters"] }]
  })
  const context = yield* Layer.build(
    ApiServer.layer({ managedFields: true, customResources, security }).pipe(
      Layer.provide(Layer.succeed(Store, makeMemoryStore(timers)))
    )
  )
  const server = yield* Effect.provide(ApiServer, context)
  if (server.security === undefined) return yield* Effect.die(new Error("the server has no security"))
  let ids = 0
  const handler = makeHandler({
    ...server.security,
    server,
    timers,
    certificateOf: () => undefined,
    chance: () => 0.5,
    makeId: () => `00000000-0000-4000-8000-${String(ids++).padStart(12, "0")}`,
    version: versionInfo("v1.36.2"),
    address: () => "localhost"
  })
  return (request: Request): Outcome => ask(handler, request)
})
