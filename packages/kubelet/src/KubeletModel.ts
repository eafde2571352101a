/**
 * Timing of a modelled kubelet that its configuration does not determine. `modelUpstream` behaves as a real kubelet;
 * `modelRecorded` as the simple kubelets in recordings of the real controllers, which made all times predictable.
 */
export interface KubeletModel {
  /** Lease intervals are up to this fraction longer. */
  readonly leaseJitter: number
  /** Leases are renewed on a fixed grid from the start on, regardless of the duration of an update. */
  readonly leaseOnGrid: boolean
  /** Absent: a quarter of the lease duration. */
  readonly leaseIntervalMs: number | undefined
  /**
   * The first interval after a start ends at a random point of it: kubelets that have been running for long renew at
   * all phases, not all in one second of ten.
   */
  readonly leaseSpread: boolean
  /** Status updates are up to this fraction further apart. */
  readonly statusJitter: number
  /** A changed input is posted at once instead of with the next update. */
  readonly statusAtOnce: boolean
  /**
   * When the link is reported to have recovered, post status and lease and list pods at once, instead of after the
   * back-offs.
   */
  readonly heartbeatOnReconnect: boolean
  /** How often the runtime's health is checked; 0: continuously. */
  readonly runtimeCheckMs: number
  /** The runtime counts as down this long after it was last seen healthy. */
  readonly runtimeDownAfterMs: number
  /** A runtime that is down neither starts nor stops containers; otherwise the kubelet only reports it. */
  readonly runtimeHangs: boolean
  /**
   * Every period (from the start on) pod statuses in the API are compared with the local ones; failed requests are
   * repeated then.
   */
  readonly podSyncMs: number
  /** The comparison runs this period after a difference arises, not on a grid. */
  readonly podSyncFromChange: boolean
  /** Post the status ContainerCreating. */
  readonly reportCreating: boolean
  /** Post the terminal phase of a pod before its final deletion. */
  readonly reportTerminal: boolean
  /** Pods pass the kubelet's admit handlers; otherwise it admits all but those that a handler of the caller refuses. */
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
