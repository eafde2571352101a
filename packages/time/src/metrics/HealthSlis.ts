import { counter, gauge } from "./Family.ts"
import { MetricSet } from "./MetricSet.ts"

const checkFamily = gauge("kubernetes_healthcheck", "STABLE", "The result of a health check: 1 if it succeeded.", [
  "name",
  "type"
])
const checksFamily = counter("kubernetes_healthchecks_total", "STABLE", "Health checks by result.", [
  "name",
  "status",
  "type"
])

/** The results of health checks, as `/metrics/slis` reports them. Upstream: component-base/metrics/prometheus/slis. */
export class HealthSlis {
  readonly set = new MetricSet()
  private readonly check = this.set.values(checkFamily)
  private readonly checks = this.set.values(checksFamily)

  /** Records the result of a check of an endpoint; returns it. */
  record(name: string, type: "healthz" | "livez" | "readyz", isHealthy: boolean): boolean {
    this.check.with({ name, type }).set(isHealthy ? 1 : 0)
    this.checks.with({ name, type, status: isHealthy ? "success" : "error" }).add()
    return isHealthy
  }
}
