/**
 * The timing of a modelled kubelet that its configuration does not determine. `modelUpstream` is that of a real
 * kubelet. `modelRecorded` is that of the simple kubelets in recordings of the real controllers, whose times are all
 * predictable.
 */
export interface KubeletModel {
  /** The greatest fraction by which the interval between renewals of the Lease is lengthened. */
  readonly leaseJitter: number
  /**
   * Whether Leases are renewed at multiples of the interval from the start on, regardless of how long an update takes.
   */
  readonly leaseOnGrid: boolean
  /** The interval between renewals; undefined means a quarter of the lease duration. */
  readonly leaseIntervalMs: number | undefined
  /**
   * Whether the first interval after a start ends at a random point of it, as if the kubelets had been running for
   * long: they then do not all renew in the same second of ten.
   */
  readonly leaseSpread: boolean
  /** The greatest fraction by which the interval between status updates is lengthened. */
  readonly statusJitter: number
  /** The greatest fraction by which the wait of a pod whose sync failed, or whose container is in back-off, is lengthened. */
  readonly backOffJitter: number
  /** Whether a changed input is posted at once instead of with the next update. */
  readonly statusAtOnce: boolean
  /**
   * Whether a kubelet posts status and lease and lists its pods at once when the link is reported to have recovered,
   * instead of after its back-offs.
   */
  readonly heartbeatOnReconnect: boolean
  /** The period in which the runtime's health is checked; 0 means continuously. */
  readonly runtimeCheckMs: number
  /** The runtime counts as down this long after it was last seen healthy. */
  readonly runtimeDownAfterMs: number
  /** Whether a runtime that is down neither starts nor stops containers; otherwise the kubelet only reports it. */
  readonly runtimeHangs: boolean
  /**
   * The period, from the start on, in which pod statuses in the API are compared with the local ones, and failed
   * requests are repeated.
   */
  readonly podSyncMs: number
  /** Whether the comparison runs one period after a difference arises, instead of at multiples of the period. */
  readonly podSyncFromChange: boolean
  /** Whether the status ContainerCreating is posted. */
  readonly reportCreating: boolean
  /** Whether the terminal phase of a pod is posted before its final deletion. */
  readonly reportTerminal: boolean
  /** Whether pods pass the kubelet's own admit handlers, and not only those of the caller. */
  readonly admits: boolean
}

/** The timing of a real kubelet. */
export const modelUpstream: KubeletModel = {
  leaseJitter: 0.04,
  leaseOnGrid: false,
  leaseIntervalMs: undefined,
  leaseSpread: false,
  statusJitter: 0.04,
  backOffJitter: 0.5,
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

/** The timing of the kubelets in the recordings. */
export const modelRecorded: KubeletModel = {
  leaseJitter: 0,
  leaseOnGrid: true,
  leaseIntervalMs: 2_000,
  leaseSpread: false,
  statusJitter: 0,
  backOffJitter: 0,
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
