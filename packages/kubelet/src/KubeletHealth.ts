/** The problems of a kubelet, by component; undefined: none. */
export interface KubeletHealth {
  /** The Node is not registered. */
  readonly registration: string | undefined
  /** The last read or write of the Lease failed. */
  readonly lease: string | undefined
  /** The last post of the Node's status failed. */
  readonly status: string | undefined
  /**
   * Pods are not synced, because the container runtime is down. Upstream: pkg/kubelet/kubelet.go SyncLoopHealthCheck.
   */
  readonly syncLoop: string | undefined
}

/** The sync loop counts as stuck after twice `syncFrequency`, and at least this. */
export const MIN_SYNC_LOOP_MS = 5 * 60_000
