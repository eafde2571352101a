/** The problem of each component of a kubelet; undefined if it has none. */
export interface KubeletHealth {
  /** Why the Node is not registered. */
  readonly registration: string | undefined
  /** Why the last read or write of the Lease failed. */
  readonly lease: string | undefined
  /** Why the last post of the Node's status failed. */
  readonly status: string | undefined
  /**
   * Set if pods are not synced because the container runtime is down. Upstream: pkg/kubelet/kubelet.go
   * SyncLoopHealthCheck.
   */
  readonly syncLoop: string | undefined
}

/** The shortest time after which the sync loop counts as stuck; usually it is twice `syncFrequency`. */
export const MIN_SYNC_LOOP_MS = 5 * 60_000
