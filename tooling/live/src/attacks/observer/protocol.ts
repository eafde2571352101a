/** The settings of the observer: JSON in its first argument. */
export interface ObserverSettings {
  readonly port: number
  /** The certificate of the server's CA, as PEM. */
  readonly ca: string
  /** Bearer tokens of nodes; node `n` renews the Lease `node-n`. */
  readonly nodeTokens: ReadonlyArray<string>
  /** Bearer token of system:kube-controller-manager, which renews its leader election Lease. */
  readonly leaderToken: string
}

/** The observation since the previous message. Times are in milliseconds. */
export interface Observation {
  /** The number of GET /livez requests, each over its own connection, in sequence. */
  readonly probes: number
  readonly failedProbes: number
  readonly longestStallMs: number
  readonly renewals: number
  readonly leaderRenewals: number
  /** Failed renewals by result: `429`, `timeout`, `ECONNRESET`, … */
  readonly lost: Readonly<Record<string, number>>
  readonly slowestRenewalMs: number
}
