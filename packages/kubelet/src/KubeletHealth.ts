/** What is wrong with a kubelet, by what it is about; undefined: nothing. */
export interface KubeletHealth {
  /** The Node is not registered. */
  readonly registration: string | undefined
  /** The Lease could not be read or written when that was last tried. */
  readonly lease: string | undefined
  /** The Node's status could not be posted when that was last tried. */
  readonly status: string | undefined
  /** Pods are not looked after, because the container runtime is down. Upstream: pkg/kubelet/kubelet.go SyncLoopHealthCheck. */
  readonly syncLoop: string | undefined
}

/** How long the sync loop may rest before it counts as stuck: twice `syncFrequency`, and at least this. */
export const MIN_SYNC_LOOP_MS = 5 * 60_000
