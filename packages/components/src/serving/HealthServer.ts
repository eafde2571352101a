import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { componentLog } from "@rollcall/cluster"
import { type ListenFailed, type ListenFlagNames, listenFailed } from "@rollcall/input"
import { loggedErrors, metricsText } from "@rollcall/time"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { type HealthChecks, healthAnswer, isHealthPath } from "./HealthCheck.ts"

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
}

const sendText = (response: ServerResponse, code: number, body: string, type = "text/plain; charset=utf-8") => {
  response.writeHead(code, { "Content-Type": type, "X-Content-Type-Options": "nosniff" })
  response.end(body)
}

/**
 * Serves `/healthz`, `/livez`, `/readyz`, `/metrics` and pages over plain HTTP, because nothing in them is
 * confidential. The server closes with the scope. Returns its port.
 */
export const healthServer = Effect.fnUntraced(function* ({
  checks,
  collect,
  flagNames,
  host,
  pages = {},
  port
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
  const handleRequest = (request: IncomingMessage, response: ServerResponse) => {
    try {
      respond(request, response)
    } catch (error) {
      sendError(response, request.url ?? "", error)
    }
  }
  const respond = (request: IncomingMessage, response: ServerResponse) => {
    const [path = "", query = ""] = (request.url ?? "").split("?")
    if (request.method !== "GET" && request.method !== "HEAD") return sendText(response, 405, "Method Not Allowed\n")
    if (isHealthPath(path)) {
      const { body, code, failed } = healthAnswer(path, new URLSearchParams(query), checks)
      if (failed !== undefined) log("debug", "Health check failed", { path, failed })
      return sendText(response, code, body)
    }
    const page = Object.hasOwn(pages, path) ? pages[path]?.() : undefined
    if (page !== undefined) return sendText(response, 200, page.body, page.type)
    if (path !== "/metrics") return sendText(response, 404, "404 page not found\n")
    sendText(response, 200, metricsText(context, ...additionalRegistries()))
  }
  const server = createServer(handleRequest)
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
