import { counter, gauge, MetricSet } from "@rollcall/time"
import type { HealthEndpoint } from "./HealthCheck.ts"

/* Upstream: component-base/metrics/prometheus/slis. */
const families = {
  check: gauge("kubernetes_healthcheck", "STABLE", "The result of a health check: 1 if it succeeded.", [
    "name",
    "type"
  ]),
  checks: counter("kubernetes_healthchecks_total", "STABLE", "Health checks by result.", ["name", "status", "type"])
}

/** The results of health checks, as `/metrics/slis` reports them. */
export class HealthSlis {
  readonly set = new MetricSet()

  /** Records the result of a check of an endpoint. */
  record(name: string, type: HealthEndpoint, isHealthy: boolean): void {
    this.set
      .values(families.check)
      .with({ name, type })
      .set(isHealthy ? 1 : 0)
    this.set
      .values(families.checks)
      .with({ name, type, status: isHealthy ? "success" : "error" })
      .add()
  }
}
