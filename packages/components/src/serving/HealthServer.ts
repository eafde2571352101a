import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { componentLog } from "@rollcall/cluster"
import { type ListenFailed, type ListenFlags, listenFailed } from "@rollcall/input"
import { loggedErrors, metricsText } from "@rollcall/time"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { type HealthChecks, healthAnswer, isHealthPath } from "./HealthCheck.ts"

/** What a path answers, besides those of health and metrics. */
export interface Page {
  readonly type: string
  readonly body: string
}
export type Pages = Readonly<Record<string, () => Page>>

export interface HealthServerOptions {
  readonly host: string
  readonly port: number
  /** What chooses another address: errors name it. */
  readonly flags: ListenFlags
  readonly checks: HealthChecks
  /** By path. */
  readonly pages?: Pages
  /** Brings gauges up to date before metrics are read, and answers the registries besides the process's own. */
  readonly collect?: () => ReadonlyArray<Context.Context<never>>
}

const text = (response: ServerResponse, code: number, body: string, type = "text/plain; charset=utf-8") => {
  response.writeHead(code, { "Content-Type": type, "X-Content-Type-Options": "nosniff" })
  response.end(body)
}

/**
 * `/healthz`, `/livez`, `/readyz` and `/metrics` of a component that serves nothing else, over plain HTTP: on loopback, where
 * nothing of it is secret. Answers the port that it listens on.
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
  /** One page that cannot be made is one answer, 500; metrics are answered without those that cannot be read. */
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
