/**
 * How a modelled kubelet keeps time, beyond what its configuration says. `modelUpstream` is the real kubelet's ways;
 * `modelRecorded` those of the plain kubelets in recordings of the real controllers, which made every time predictable.
 */
export interface KubeletModel {
  /** Lease intervals are up to this much longer. */
  readonly leaseJitter: number
  /** Leases are renewed on a fixed grid from the start on, whatever a pass took. */
  readonly leaseOnGrid: boolean
  /** Absent: a quarter of the lease duration. */
  readonly leaseIntervalMs: number | undefined
  /**
   * The first interval after a start ends at a random point of it: kubelets that have long been running renew at all phases,
   * not all in one second of ten.
   */
  readonly leaseSpread: boolean
  /** Status passes are up to this much further apart. */
  readonly statusJitter: number
  /** A changed input is posted at once instead of with the next pass. */
  readonly statusAtOnce: boolean
  /** When the link is told to be whole again, post status and lease and list pods at once, instead of when back-offs end. */
  readonly heartbeatOnReconnect: boolean
  /** Runtime health is looked at this often, 0: continuously. */
  readonly runtimeCheckMs: number
  /** The runtime counts as down this long after it was last seen well. */
  readonly runtimeDownAfterMs: number
  /** A runtime that is down starts and ends nothing; otherwise its kubelet only says that it is down. */
  readonly runtimeHangs: boolean
  /** Every so often (from the start on) what the API shows of pods is compared with what is; failed sends are repeated then. */
  readonly podSyncMs: number
  /** The comparison comes this period after the difference shows, not on a grid. */
  readonly podSyncFromChange: boolean
  /** Post that containers are being created. */
  readonly reportCreating: boolean
  /** Post the terminal phase of a pod before its final delete. */
  readonly reportTerminal: boolean
  /** Pods pass the kubelet's admission chain; otherwise it takes all but those that a handler of the caller's refuses. */
  readonly admits: boolean
}

export const modelUpstream: KubeletModel = {
  leaseJitter: 0.04,
  leaseOnGrid: false,
  leaseIntervalMs: undefined,
  leaseSpread: false,
  statusJitter: 0.04,
  statusAtOnce: false,
  heartbeatOnReconnect: false,
  runtimeCheckMs: 5_000,
  runtimeDownAfterMs: 30_000,
  runtimeHangs: true,
  podSyncMs: 10_000,
  podSyncFromChange: false,
  reportCreating: true,
  reportTerminal: true,
  admits: true
}

export const modelRecorded: KubeletModel = {
  leaseJitter: 0,
  leaseOnGrid: true,
  leaseIntervalMs: 2_000,
  leaseSpread: false,
  statusJitter: 0,
  statusAtOnce: true,
  heartbeatOnReconnect: true,
  runtimeCheckMs: 0,
  runtimeDownAfterMs: 0,
  runtimeHangs: false,
  podSyncMs: 1_000,
  podSyncFromChange: true,
  reportCreating: false,
  reportTerminal: false,
  admits: false
}
