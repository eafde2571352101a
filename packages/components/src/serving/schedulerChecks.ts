import { type ElectionChecksOptions, electionChecks } from "./controllerChecks.ts"
import { type HealthChecks, ping } from "./HealthCheck.ts"
import type { InformerSync } from "./informerSync.ts"

/**
 * What kube-scheduler says of its health: its election; of its readiness also that it reaches its cluster, and that it has seen
 * all that is there (`sched-handler-sync`), once it leads: this one lists only then. Upstream: cmd/kube-scheduler/app/server.go.
 */
export const schedulerChecks = ({
  informers,
  ...election
}: ElectionChecksOptions & { readonly informers: InformerSync }): HealthChecks => {
  const { health, readiness } = electionChecks(election)
  return (endpoint) => {
    if (endpoint === "livez") return [ping]
    return endpoint === "healthz" ? health : [...readiness, ["sched-handler-sync", informers.unsynced]]
  }
}
