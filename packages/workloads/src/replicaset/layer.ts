import { Controller } from "@rollcall/cluster"
import { defaultReplicaSetConfig, type ReplicaSetConfig, ReplicaSets } from "./ReplicaSets.ts"

/**
 * Runs the replicas of all ReplicaSets while the layer lives. Its requests and Events go through the Cluster in
 * context, whose client-side rate limit applies (kube-controller-manager's is 20 requests a second, burst 30).
 */
export const layerReplicaSets = (config: Partial<ReplicaSetConfig> = {}) => {
  const settings = { ...defaultReplicaSetConfig, ...config }
  return Controller.plain({
    name: "replicaset-controller",
    queue: "replicaset",
    records: true,
    workers: settings.concurrentSyncs,
    make: (parts) => {
      const controller = new ReplicaSets({ ...parts, config: settings })
      return {
        handlers: { ReplicaSet: controller.replicaSetHandler, Pod: controller.podHandler },
        work: controller.work
      }
    }
  })
}
