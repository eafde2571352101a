import { counter, type FamilySnapshot, gauge, MetricSet } from "@rollcall/time"
import type { HealthCheck, HealthEndpoint } from "./HealthCheck.ts"

export const sliFamilies = {
  check: gauge("kubernetes_healthcheck", "STABLE", "The result of a health check: 1 if it succeeded.", [
    "name",
    "type"
  ]),
  checks: counter("kubernetes_healthchecks_total", "STABLE", "Health checks by result.", ["name", "status", "type"])
}

interface Result {
  readonly name: string
  readonly type: HealthEndpoint
  isHealthy: boolean
  readonly counts: { success: number; error: number }
}

/** The results of health checks, as `/metrics/slis` reports them. Upstream: component-base/metrics/prometheus/slis. */
export class HealthSlis {
  private readonly results = new Map<string, Result>()

  /** Runs a check of an endpoint, and records its result. */
  run({ check, name }: HealthCheck, type: HealthEndpoint): boolean {
    const isHealthy = check()
    const key = `${type}/${name}`
    const result = this.results.get(key) ?? { name, type, isHealthy, counts: { success: 0, error: 0 } }
    result.isHealthy = isHealthy
    result.counts[isHealthy ? "success" : "error"]++
    this.results.set(key, result)
    return isHealthy
  }

  snapshot(): ReadonlyArray<FamilySnapshot> {
    const set = new MetricSet()
    const results = [...this.results.values()]
    set.read(sliFamilies.check, () => results.map(({ isHealthy, name, type }) => [{ name, type }, isHealthy ? 1 : 0]))
    set.read(sliFamilies.checks, () =>
      results.flatMap(({ counts, name, type }) =>
        (["success", "error"] as const)
          .filter((status) => counts[status] > 0)
          .map((status) => [{ name, status, type }, counts[status]] as const)
      )
    )
    return set.snapshot()
  }
}
