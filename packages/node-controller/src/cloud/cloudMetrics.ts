import * as Metric from "effect/Metric"

const boundaries = [1, 4, 16, 64, 256, 1024]

/** Upstream: staging/src/k8s.io/cloud-provider/controllers/node/metrics.go. */
export const taintRemovalDelaySeconds = Metric.histogram("node_controller_cloud_provider_taint_removal_delay_seconds", {
  description:
    "Number of seconds after node creation when NodeController removed the cloud-provider taint of a single node.",
  boundaries
})
export const initialNodeSyncDelaySeconds = Metric.histogram("node_controller_initial_node_sync_delay_seconds", {
  description:
    "Number of seconds after node creation when NodeController finished the initial synchronization of a single node.",
  boundaries
})
