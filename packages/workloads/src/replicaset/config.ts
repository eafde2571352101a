/** Settings of the controller. Those that kube-controller-manager has are named as its flags. */
export interface ReplicaSetConfig {
  /** `--concurrent-replicaset-syncs` */
  readonly concurrentSyncs: number
  /** The most creations or deletions in one sync. */
  readonly burstReplicas: number
}

/** Upstream: pkg/controller/replicaset/{config,replica_set}.go. */
export const defaultReplicaSetConfig: ReplicaSetConfig = { concurrentSyncs: 5, burstReplicas: 500 }
