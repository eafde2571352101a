import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { componentLog } from "@rollcall/cluster"
import { type ListenFailed, type ListenFlags, listenFailed } from "@rollcall/input"
import { loggedErrors, metricsText } from "@rollcall/time"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { type HealthChecks, healthAnswer, isHealthPath } from "./HealthCheck.ts"

/** An additional page beside health and metrics. */
export interface Page {
  readonly type: string
  readonly body: string
}
export type Pages = Readonly<Record<string, () => Page>>

export interface HealthServerOptions {
  readonly host: string
  readonly port: number
  /** The address flags, for error messages. */
  readonly flags: ListenFlags
  readonly checks: HealthChecks
  /** Additional pages by path. */
  readonly pages?: Pages
  /** Updates gauges before metrics are read, and returns additional registries. */
  readonly collect?: () => ReadonlyArray<Context.Context<never>>
}

const text = (response: ServerResponse, code: number, body: string, type = "text/plain; charset=utf-8") => {
  response.writeHead(code, { "Content-Type": type, "X-Content-Type-Options": "nosniff" })
  response.end(body)
}

/**
 * Serves `/healthz`, `/livez`, `/readyz` and `/metrics` of a component without other endpoints over plain HTTP on loopback, because
 * none of it is confidential. Returns the port.
 */
export const healthServer = Effect.fnUntraced(function* ({
  checks,
  collect,
  flags,
  host,
  pages = {},
  port
}: HealthServerOptions) {
  const context = yield* Effect.context<never>()
  const handleError = yield* loggedErrors
  const log = yield* componentLog
  /** A page that fails gives a response 500; metrics that cannot be read are left out. */
  const failed = (response: ServerResponse, path: string, error: unknown) => {
    handleError("page", error, { path })
    if (response.headersSent) response.destroy()
    else text(response, 500, "Internal Server Error\n")
  }
  const collected = (): ReadonlyArray<Context.Context<never>> => {
    try {
      return collect?.() ?? []
    } catch (error) {
      handleError("metrics", error)
      return []
    }
  }
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    try {
      respond(request, response)
    } catch (error) {
      failed(response, request.url ?? "", error)
    }
  }
  const respond = (request: IncomingMessage, response: ServerResponse) => {
    const [path = "", query = ""] = (request.url ?? "").split("?")
    if (request.method !== "GET" && request.method !== "HEAD") return text(response, 405, "Method Not Allowed\n")
    if (isHealthPath(path)) {
      const { body, code, failed } = healthAnswer(path, new URLSearchParams(query), checks)
      if (failed !== undefined) log("debug", "Health check failed", { path, failed })
      return text(response, code, body)
    }
    const shown = Object.hasOwn(pages, path) ? pages[path]?.() : undefined
    if (shown !== undefined) return text(response, 200, shown.body, shown.type)
    if (path !== "/metrics") return text(response, 404, "404 page not found\n")
    text(response, 200, metricsText(context, ...collected()))
  }
  const server = createServer(answer)
  yield* Effect.acquireRelease(
    Effect.callback<void, ListenFailed>((resume) => {
      server.once("error", (error) => resume(Effect.fail(listenFailed(error, { host, port, flags }))))
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
