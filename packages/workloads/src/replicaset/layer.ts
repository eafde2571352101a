import { Controller } from "@rollcall/cluster"
import { defaultReplicaSetConfig, type ReplicaSetConfig, ReplicaSets } from "./ReplicaSets.ts"

/**
 * Runs the replicas of all ReplicaSets while the layer lives. Its client limits (20 requests a second, burst 30) are
 * those of the Cluster in context; its events are sent through it too.
 */
export const layerReplicaSets = (config: Partial<ReplicaSetConfig> = {}) => {
  const whole = { ...defaultReplicaSetConfig, ...config }
  return Controller.plain({
    name: "replicaset-controller",
    queue: "replicaset",
    records: true,
    workers: whole.concurrentSyncs,
    make: (parts) => {
      const controller = new ReplicaSets({ ...parts, config: whole })
      return {
        handlers: { ReplicaSet: controller.replicaSetHandler, Pod: controller.podHandler },
        work: controller.work
      }
    }
  })
}
