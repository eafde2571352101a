import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { errorText, loggedErrors, recovering } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as PrometheusMetrics from "effect/observability/PrometheusMetrics"
import { type ListenFailed, type ListenFlags, listenFailed } from "./listenFailed.ts"

/** A named check: undefined when all is well, else what is not. */
export type HealthCheck = readonly [name: string, look: () => string | undefined]

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
  readonly checks: () => ReadonlyArray<HealthCheck>
  /** By path. */
  readonly pages?: Pages
  /** Called before metrics are read: what it answers, in Prometheus' text format, comes on top of them. */
  readonly collect?: () => string
}

const text = (response: ServerResponse, code: number, body: string, type = "text/plain; charset=utf-8") => {
  response.writeHead(code, { "Content-Type": type, "X-Content-Type-Options": "nosniff" })
  response.end(body)
}

const HEALTH = /^\/(healthz|livez|readyz)(?:\/([^/]+))?$/

/** A check that throws has failed. */
const outcome = (look: () => string | undefined): string | undefined => {
  try {
    return look()
  } catch (error) {
    return errorText(error)
  }
}

/** What a health path answers. Upstream: apiserver/pkg/server/healthz. */
export const healthAnswer = (
  path: string,
  verbose: boolean,
  checks: ReadonlyArray<HealthCheck>
): { readonly code: number; readonly body: string } => {
  const [, kind = "healthz", single] = HEALTH.exec(path) ?? []
  const chosen = single === undefined ? checks : checks.filter(([name]) => name === single)
  if (single !== undefined && chosen.length === 0) return { code: 404, body: "404 page not found\n" }
  const results = chosen.map(([name, look]) => [name, outcome(look)] as const)
  const failed = results.some(([, wrong]) => wrong !== undefined)
  if (!failed && !verbose) return { code: 200, body: "ok" }
  const lines = results.map(([name, wrong]) =>
    wrong === undefined ? `[+]${name} ok\n` : `[-]${name} failed: reason withheld\n`
  )
  const end = `${kind} check ${failed ? "failed" : "passed"}\n`
  return { code: failed ? 500 : 200, body: lines.join("") + end }
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
  const run = Effect.runForkWith(yield* Effect.context<never>())
  const handleError = yield* loggedErrors
  /** One page that cannot be made is one answer, 500; metrics are answered without those that cannot be read. */
  const failed = (response: ServerResponse, path: string, error: unknown) => {
    handleError("page", error, { path })
    if (response.headersSent) response.destroy()
    else text(response, 500, "Internal Server Error\n")
  }
  const collected = (): string => {
    try {
      return collect?.() ?? ""
    } catch (error) {
      handleError("metrics", error)
      return ""
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
    if (HEALTH.test(path)) {
      const { body, code } = healthAnswer(path, new URLSearchParams(query).has("verbose"), checks())
      return text(response, code, body)
    }
    const shown = Object.hasOwn(pages, path) ? pages[path]?.() : undefined
    if (shown !== undefined) return text(response, 200, shown.body, shown.type)
    if (path !== "/metrics") return text(response, 404, "404 page not found\n")
    const more = collected()
    const page = Effect.map(PrometheusMetrics.format(), (body) => text(response, 200, body + more))
    run(recovering(page, (error) => Effect.sync(() => failed(response, path, error))))
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
