import * as Metric from "effect/Metric"

const masterStatus = Metric.gauge("leader_election_master_status", {
  description:
    "[ALPHA] Gauge of if the reporting system is master of the relevant lease, 0 indicates backup, 1 indicates master. 'name' is the string used to identify the lease. Please make sure to group by name."
})

/**
 * Records whether this process leads. Upstream:
 * staging/src/k8s.io/component-base/metrics/prometheus/clientgo/leaderelection/metrics.go.
 */
export const recordLeadership = (name: string, isLeader: boolean) =>
  Metric.update(Metric.withAttributes(masterStatus, { name }), isLeader ? 1 : 0)

const runningControllers = Metric.gauge("running_managed_controllers", {
  description: "[BETA] Indicates where instances of a controller are currently running"
})

/**
 * Records that a controller runs. Upstream:
 * staging/src/k8s.io/component-base/metrics/prometheus/controllers/metrics.go.
 */
export const recordRunning = (manager: string, name: string) =>
  Metric.update(Metric.withAttributes(runningControllers, { manager, name }), 1)
