import { type Gauge, gaugesText } from "../metrics/Metrics.ts"
import type { HealthCheck, HealthEndpoint } from "./HealthCheck.ts"

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

  text(): string {
    const results = () => this.results.values()
    const gauges: ReadonlyArray<Gauge> = [
      {
        name: "kubernetes_healthcheck",
        help: "[STABLE] This metric records the result of a single healthcheck.",
        values: () => [...results()].map(({ isHealthy, name, type }) => [{ name, type }, isHealthy ? 1 : 0])
      },
      {
        name: "kubernetes_healthchecks_total",
        help: "[STABLE] This metric records the results of all healthcheck.",
        type: "counter",
        values: () =>
          [...results()].flatMap(({ counts, name, type }) =>
            Object.entries(counts).flatMap(([status, count]) => (count === 0 ? [] : [[{ name, status, type }, count]]))
          )
      }
    ]
    return gaugesText(gauges)
  }
}
