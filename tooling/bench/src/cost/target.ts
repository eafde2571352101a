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
  /** In processor time: others use the machine, too. */
  readonly ms: number
  /** The longest that the event loop was held at a time. */
  readonly heldMs: number
}

class Response implements HttpResponse {
  statusCode = 200
  headersSent = false
  destroyed = false
  writableLength = 0
  isEnded = false
  readonly pieces: Array<Uint8Array> = []
  private readonly headers = new Set<string>()
  private readonly closed: Array<() => void> = []
  setHeader(name: string): void {
    this.headers.add(name)
  }
  hasHeader(name: string): boolean {
    return this.headers.has(name)
  }
  flushHeaders(): void {
    this.headersSent = true
  }
  write(piece: Uint8Array | string): void {
    this.headersSent = true
    this.pieces.push(Buffer.from(piece))
  }
  end(body?: Uint8Array | string): void {
    if (body !== undefined) this.write(body)
    this.headersSent = true
    this.isEnded = true
    for (const listener of this.closed) listener()
  }
  destroy(): void {
    this.destroyed = true
    this.end()
  }
  on(event: "close" | "drain", listener: () => void): void {
    if (event === "close") this.closed.push(listener)
  }
}

const requestOf = ({ accept, body, contentType, method, path }: Request) => {
  const bytes = Buffer.from(body ?? "")
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
  const send = () => {
    read(bytes)
    end()
  }
  return { request, send }
}

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Turns of the event loop for one request, before it counts as lost. */
const MOST_TURNS = 100_000

const ask = async (handler: Handler, asked: Request): Promise<Outcome> => {
  const response = new Response()
  const { request, send } = requestOf(asked)
  let ms = 0
  let heldMs = 0
  let work = () => {
    handler.handle(request, response)
    send()
  }
  for (let turn = 0; turn < MOST_TURNS && !response.isEnded; turn++) {
    const start = process.threadCpuUsage()
    work()
    await nextTurn()
    const { system, user } = process.threadCpuUsage(start)
    ms += (user + system) / 1000
    heldMs = Math.max(heldMs, (user + system) / 1000)
    work = () => undefined
  }
  const sent = Buffer.concat(response.pieces)
  return { code: response.statusCode, bytes: sent.length, text: sent.toString("latin1"), ms, heldMs }
}

/** A server as `rollcalld` runs it, over a store in memory and without sockets. */
export const makeTarget = Effect.gen(function* () {
  const timers = yield* Timers
  const security = securityPlan({
    modes: ["Node", "RBAC"],
    tokens: [{ token: "admin", user: "admin", groups: ["system:masters"] }]
  })
  const turns = { nextTurn: setImmediate, now: timers.now }
  const context = yield* Layer.build(
    ApiServer.layer({ managedFields: true, customResources, security, turns }).pipe(
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
    random: () => 0.5,
    makeId: () => `00000000-0000-4000-8000-${String(ids++).padStart(12, "0")}`,
    version: versionInfo("v1.36.2"),
    address: () => "localhost"
  })
  return (request: Request): Promise<Outcome> => ask(handler, request)
})
