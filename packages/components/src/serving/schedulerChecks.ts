import { type HealthChecks, ping } from "@rollcall/time"
import { type ElectionChecksOptions, electionChecks } from "./controllerChecks.ts"
import type { InformerSync } from "./informerSync.ts"

/**
 * Returns the checks of kube-scheduler. Health: its leader election. Readiness: also that it reaches its cluster, and
 * that its informers have synced (`sched-handler-sync`) once it leads: this scheduler lists only then. Upstream:
 * cmd/kube-scheduler/app/server.go.
 */
export const schedulerChecks = ({
  informers,
  ...election
}: ElectionChecksOptions & { readonly informers: InformerSync }): HealthChecks => {
  const { health, readiness } = electionChecks(election)
  return (endpoint) => {
    if (endpoint === "livez") return [ping]
    return endpoint === "healthz" ? health : [...readiness, { name: "sched-handler-sync", problem: informers.unsynced }]
  }
}
