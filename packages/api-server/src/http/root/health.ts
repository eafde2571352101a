import type { HealthSlis } from "@rollcall/time"
import type { Call } from "../call/Call.ts"
import { send, sendText } from "../call/respond.ts"
import type { HealthCheck, HealthEndpoint } from "./HealthCheck.ts"

export const healthEndpoints: ReadonlyArray<HealthEndpoint> = ["healthz", "livez", "readyz"]

const HEALTH = /^\/(?:healthz|livez|readyz)(?:\/|$)/

/** Whether a path is that of a health check, which is answered even when a client does not read. */
export const isHealthPath = (path: string): boolean => HEALTH.test(path)

/** Returns the checks of an endpoint. */
export const checksAt = (endpoint: HealthEndpoint, checks: ReadonlyArray<HealthCheck>): ReadonlyArray<HealthCheck> =>
  checks.filter(({ endpoints }) => endpoints === undefined || endpoints.includes(endpoint))

/** Serves one check. Upstream: apiserver/pkg/server/healthz, adaptCheckToHandler. */
export const serveCheck = (call: Call, endpoint: HealthEndpoint, check: HealthCheck, slis: HealthSlis): void => {
  if (slis.record(check.name, endpoint, check.check())) send(call, 200, "text/plain; charset=utf-8", "ok")
  else sendText(call, 500, "internal server error: reason withheld\n")
}

/** Serves all checks of an endpoint. Upstream: apiserver/pkg/server/healthz, handleRootHealth. */
export const serveChecks = (
  call: Call,
  endpoint: HealthEndpoint,
  checks: ReadonlyArray<HealthCheck>,
  slis: HealthSlis
) => {
  call.monitored = { subresource: `/${endpoint}` }
  const excluded = new Set(call.query.all("exclude"))
  const lines: Array<string> = []
  let failed = false
  for (const check of checks) {
    const { name } = check
    if (excluded.delete(name)) lines.push(`[+]${name} excluded: ok`)
    else if (slis.record(check.name, endpoint, check.check())) lines.push(`[+]${name} ok`)
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
