/** What the observer is started with, as JSON in its first argument. */
export interface ObserverSettings {
  readonly port: number
  /** PEM of the server's authority. */
  readonly ca: string
  /** Bearer tokens of nodes; node `n` renews the Lease `node-n`. */
  readonly nodeTokens: ReadonlyArray<string>
  /** Bearer token of system:kube-controller-manager, which renews its leader election Lease. */
  readonly leaderToken: string
}

/** What the observer saw since it was last asked. Milliseconds. */
export interface Observation {
  /** GET /livez, each over a connection of its own, one after the other. */
  readonly probes: number
  readonly failedProbes: number
  readonly longestStallMs: number
  readonly renewals: number
  readonly leaderRenewals: number
  /** Renewals that ended in anything but 200, by how they ended: `429`, `timeout`, `ECONNRESET`, … */
  readonly lost: Readonly<Record<string, number>>
  readonly slowestRenewalMs: number
}
