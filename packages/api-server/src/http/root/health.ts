import type { Call } from "../call/Call.ts"
import { sendPageNotFound, sendText } from "../call/respond.ts"

/** A health check: `check` returns whether the server is healthy. */
export interface HealthCheck {
  readonly name: string
  /** The endpoints that run it; by default all three. */
  readonly endpoints?: ReadonlyArray<HealthEndpoint>
  readonly check: () => boolean
}

export type HealthEndpoint = "healthz" | "livez" | "readyz"

const ENDPOINT = /^\/(healthz|livez|readyz)(?:\/(.+))?$/

/** Serves `/healthz`, `/livez`, `/readyz` and their individual checks. Upstream: apiserver/pkg/server/healthz. */
export const serveHealth = (call: Call, checks: ReadonlyArray<HealthCheck>) => {
  const [, found, checkName] = ENDPOINT.exec(call.info.path) ?? []
  const endpoint = found as HealthEndpoint
  const own = checks.filter(({ endpoints }) => endpoints === undefined || endpoints.includes(endpoint))
  if (checkName === undefined) return serveAll(call, endpoint, own)
  const one = own.find(({ name }) => name === checkName)
  if (one === undefined) return sendPageNotFound(call)
  if (one.check()) sendText(call, 200, "ok")
  else sendText(call, 500, "internal server error: reason withheld\n")
}

export const isHealthPath = (path: string): boolean => ENDPOINT.test(path)

const serveAll = (call: Call, endpoint: HealthEndpoint, checks: ReadonlyArray<HealthCheck>) => {
  const excluded = new Set(call.query.all("exclude"))
  const lines: Array<string> = []
  let failed = false
  for (const { check, name } of checks) {
    if (excluded.delete(name)) lines.push(`[+]${name} excluded: ok`)
    else if (check()) lines.push(`[+]${name} ok`)
    else {
      failed = true
      lines.push(`[-]${name} failed: reason withheld`)
    }
  }
  if (excluded.size > 0) {
    const unknown = [...excluded].map((name) => JSON.stringify(name)).join(", ")
    lines.push(`warn: some health checks cannot be excluded: no matches for ${unknown}`)
  }
  if (failed) return sendText(call, 500, `${[...lines, `${endpoint} check failed`].join("\n")}\n`)
  const verbose = call.query.text("verbose") !== undefined
  sendText(call, 200, verbose ? `${[...lines, `${endpoint} check passed`].join("\n")}\n` : "ok")
}
