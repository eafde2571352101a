import { errorText } from "@rollcall/time"

export type HealthEndpoint = "healthz" | "livez" | "readyz"

/** A named check: returns undefined if healthy, else the problem. */
export type HealthCheck = readonly [name: string, look: () => string | undefined]

/** Returns the checks of an endpoint. */
export type HealthChecks = (endpoint: HealthEndpoint) => ReadonlyArray<HealthCheck>

export const ping: HealthCheck = ["ping", () => undefined]

const PATH = /^\/(healthz|livez|readyz)(?:\/([^/]+))?$/

export const isHealthPath = (path: string): boolean => PATH.test(path)

/** Runs a check; a check that throws has failed. */
const outcome = (look: () => string | undefined): string | undefined => {
  try {
    return look()
  } catch (error) {
    return errorText(error)
  }
}

interface HealthAnswer {
  readonly code: number
  readonly body: string
  /** The failed checks with their reasons, which the response for all checks withholds; undefined: none failed. */
  readonly failed?: string
}

const single = (name: string, checks: ReadonlyArray<HealthCheck>): HealthAnswer => {
  const check = checks.find(([own]) => own === name)
  if (check === undefined) return { code: 404, body: "404 page not found\n" }
  const wrong = outcome(check[1])
  return wrong === undefined
    ? { code: 200, body: "ok" }
    : { code: 500, body: `internal server error: ${wrong}\n`, failed: `[-]${name} failed: ${wrong}` }
}

const quoted = (names: ReadonlyArray<string>): string => names.map((name) => JSON.stringify(name)).join(",")

/**
 * Returns the response of a health path: for all checks except those in `exclude`, or for the one in the path, which also includes why it
 * failed. Without checks there is only ping. Upstream: apiserver/pkg/server/healthz/healthz.go.
 */
export const healthAnswer = (path: string, query: URLSearchParams, checks: HealthChecks): HealthAnswer => {
  const [, kind = "healthz", name] = PATH.exec(path) ?? []
  const own = checks(kind as HealthEndpoint)
  const all = own.length === 0 ? [ping] : own
  if (name !== undefined) return single(name, all)
  const excluded = new Set(query.getAll("exclude"))
  let lines = ""
  const failed: Array<string> = []
  for (const [check, look] of all) {
    if (excluded.delete(check)) {
      lines += `[+]${check} excluded: ok\n`
      continue
    }
    const wrong = outcome(look)
    lines += wrong === undefined ? `[+]${check} ok\n` : `[-]${check} failed: reason withheld\n`
    if (wrong !== undefined) failed.push(`[-]${check} failed: ${wrong}`)
  }
  if (excluded.size > 0) {
    lines += `warn: some health checks cannot be excluded: no matches for ${quoted([...excluded].sort())}\n`
  }
  if (failed.length > 0) return { code: 500, body: `${lines}${kind} check failed\n`, failed: failed.join("\n") }
  return { code: 200, body: query.has("verbose") ? `${lines}${kind} check passed\n` : "ok" }
}
