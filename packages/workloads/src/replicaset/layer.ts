import type { ReplicationController } from "@rollcall/api"
import { Controller, type InformerHandler } from "@rollcall/cluster"
import { defaultReplicaSetConfig, type ReplicaSetConfig } from "./config.ts"
import { ReplicaSets } from "./ReplicaSets.ts"
import { asReplicaSet } from "./SetKind.ts"

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
      const controller = new ReplicaSets({ ...parts, config: settings, kind: "ReplicaSet" })
      return {
        handlers: { ReplicaSet: controller.replicaSetHandler, Pod: controller.podHandler },
        work: controller.work
      }
    }
  })
}

/**
 * Runs the replicas of all ReplicationControllers while the layer lives, as those of ReplicaSets. Upstream:
 * pkg/controller/replication.
 */
export const layerReplicationControllers = Controller.plain({
  name: "replication-controller",
  queue: "replicationmanager",
  records: true,
  workers: defaultReplicaSetConfig.concurrentSyncs,
  make: (parts) => {
    const { podHandler, replicaSetHandler, work } = new ReplicaSets({
      ...parts,
      config: defaultReplicaSetConfig,
      kind: "ReplicationController"
    })
    const handler: InformerHandler<ReplicationController> = {
      onAdd: (controller, isInInitialList) => replicaSetHandler.onAdd?.(asReplicaSet(controller), isInInitialList),
      onUpdate: (before, controller) => replicaSetHandler.onUpdate?.(asReplicaSet(before), asReplicaSet(controller)),
      onDelete: (controller) => replicaSetHandler.onDelete?.(asReplicaSet(controller))
    }
    return { handlers: { ReplicationController: handler, Pod: podHandler }, work }
  }
})
