import type { IncomingMessage, ServerResponse } from "node:http"
import { createServer as createSecureServer } from "node:https"
import { gzip } from "node:zlib"
import { componentLog } from "@rollcall/cluster"
import { type ListenFailed, type ListenFlagNames, listenFailed } from "@rollcall/input"
import {
  expositionOf,
  type HealthChecks,
  HealthSlis,
  healthAnswer,
  isHealthPath,
  loggedErrors,
  type MetricSet,
  snapshotsOf
} from "@rollcall/time"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Refusal } from "./secure/Access.ts"
import type { SecureServing } from "./secure/secureServing.ts"

// Not imported: Node would load its whole fetch for one of the exports.
const { createServer } = process.getBuiltinModule("node:http")

/** An additional page beside health and metrics. */
export interface Page {
  readonly type: string
  readonly body: string
}
/** Pages by path: `/configz`. */
export type Pages = Readonly<Record<string, () => Page>>

export interface HealthServerOptions {
  readonly host: string
  readonly port: number
  /** The names of the flags or settings that set the address, for error messages. */
  readonly flagNames: ListenFlagNames
  readonly checks: HealthChecks
  /** Additional pages by path. */
  readonly pages?: Pages
  /** Updates gauges before metrics are read, and returns additional registries. */
  readonly collect?: () => ReadonlyArray<Context.Context<never>>
  /** Further metrics, of the process and its client. */
  readonly metrics?: MetricSet
  /** Serves over TLS, to callers that may read a page. Default: plain HTTP, to anyone. */
  readonly secure?: SecureServing
}

const sendText = (response: ServerResponse, code: number, body: string, type = "text/plain; charset=utf-8") => {
  response.writeHead(code, { "Content-Type": type, "X-Content-Type-Options": "nosniff" })
  response.end(body)
}

/** Sends what answers a request in place of its page. Upstream: responsewriters.Forbidden, InternalError. */
const sendRefusal = (request: IncomingMessage, response: ServerResponse, refusal: Refusal) => {
  if ("text" in refusal) return sendText(response, 500, refusal.text)
  const { status } = refusal
  const isForPeople = /^(?:curl|Wget|Mozilla\/5\.0)/.test(request.headers["user-agent"] ?? "")
  const body = isForPeople ? JSON.stringify(status, undefined, 2) : `${JSON.stringify(status)}\n`
  response.setHeader("Cache-Control", "no-cache, private")
  sendText(response, status.code ?? 500, body, "application/json")
}

/** Pages of metrics above this size are compressed for clients that accept it. */
const GZIP_ABOVE_BYTES = 16 * 1024

/** Sends a page of metrics in the form that the client prefers. */
const sendMetrics = (
  request: IncomingMessage,
  response: ServerResponse,
  families: Parameters<typeof expositionOf>[0]
) => {
  const { body, type } = expositionOf(families, request.headers.accept)
  const acceptsGzip = /(?:^|[\s,])gzip(?:[\s,]|$)/.test(String(request.headers["accept-encoding"] ?? ""))
  if (!acceptsGzip || body.length <= GZIP_ABOVE_BYTES) {
    response.writeHead(200, { "Content-Type": type })
    response.end(body)
    return
  }
  gzip(body, { level: 1 }, (error, zipped) => {
    response.writeHead(200, { "Content-Type": type, ...(error === null ? { "Content-Encoding": "gzip" } : {}) })
    response.end(error === null ? zipped : body)
  })
}

/** Makes the server of a secure port; it uses a new CA of clients for connections from then on. */
const makeSecureServer = (
  { cert, clientCa, key, onClientCa }: SecureServing,
  handle: (request: IncomingMessage, response: ServerResponse) => void
) => {
  const context = () => {
    const ca = clientCa()
    return { key, cert, ...(ca === undefined ? {} : { ca }) }
  }
  const server = createSecureServer({ ...context(), requestCert: true, rejectUnauthorized: false }, handle)
  onClientCa(() => server.setSecureContext(context()))
  return server
}

/**
 * Serves `/healthz`, `/livez`, `/readyz`, `/metrics` and pages. The server closes with the scope. Returns its port.
 */
export const healthServer = Effect.fnUntraced(function* ({
  checks,
  collect,
  flagNames,
  host,
  metrics,
  pages = {},
  port,
  secure
}: HealthServerOptions) {
  const context = yield* Effect.context<never>()
  const handleError = yield* loggedErrors
  const log = yield* componentLog
  /** Logs the error of a page and responds with 500. */
  const sendError = (response: ServerResponse, path: string, error: unknown) => {
    handleError("page", error, { path })
    if (response.headersSent) response.destroy()
    else sendText(response, 500, "Internal Server Error\n")
  }
  /** The additional registries; none if collecting them throws. */
  const additionalRegistries = (): ReadonlyArray<Context.Context<never>> => {
    try {
      return collect?.() ?? []
    } catch (error) {
      handleError("metrics", error)
      return []
    }
  }
  const slis = new HealthSlis()
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    try {
      respond(request, response)
    } catch (error) {
      sendError(response, request.url ?? "", error)
    }
  }
  const answerAllowed = (access: SecureServing["access"]) => (request: IncomingMessage, response: ServerResponse) => {
    access
      .refusal(request, (request.url ?? "").split("?")[0] ?? "")
      .then((refusal) => (refusal === undefined ? answer(request, response) : sendRefusal(request, response, refusal)))
      .catch((error: unknown) => sendError(response, request.url ?? "", error))
  }
  const respond = (request: IncomingMessage, response: ServerResponse) => {
    const [path = "", query = ""] = (request.url ?? "").split("?")
    if (request.method !== "GET" && request.method !== "HEAD") return sendText(response, 405, "Method Not Allowed\n")
    if (isHealthPath(path)) {
      const parameters = new URLSearchParams(query)
      const asked = { exclude: parameters.getAll("exclude"), verbose: parameters.has("verbose") }
      const { body, code, failed } = healthAnswer(path, asked, checks, (...result) => slis.record(...result))
      if (failed !== undefined) log("debug", "Health check failed", { path, failed })
      return sendText(response, code, body)
    }
    const page = Object.hasOwn(pages, path) ? pages[path]?.() : undefined
    if (page !== undefined) return sendText(response, 200, page.body, page.type)
    if (path === "/metrics/slis") return sendMetrics(request, response, slis.set.snapshot())
    if (path !== "/metrics") return sendText(response, 404, "404 page not found\n")
    sendMetrics(request, response, [
      ...(metrics?.snapshot() ?? []),
      ...[context, ...additionalRegistries()].flatMap(snapshotsOf)
    ])
  }
  const server = secure === undefined ? createServer(answer) : makeSecureServer(secure, answerAllowed(secure.access))
  yield* Effect.acquireRelease(
    Effect.callback<void, ListenFailed>((resume) => {
      server.once("error", (error) => resume(Effect.fail(listenFailed(error, { host, port, flagNames }))))
      server.listen(port, host, () => resume(Effect.void))
    }),
    () =>
      Effect.callback<void>((resume) => {
        server.close(() => resume(Effect.void))
        server.closeAllConnections()
      })
  )
  const bound = server.address()
  return typeof bound === "object" && bound !== null ? bound.port : port
})
