import { getNodeCondition, type Lease, type Node, nodeReady, parseTime } from "@rollcall/api"

/** The duration of a lease without leaseDurationSeconds. */
const DEFAULT_LEASE_SECONDS = 40
/** A kubelet renews its lease four times in its duration; half a renewal interval of delay is tolerated. */
const MISSED_RENEWALS = 1.5
const RENEWALS_PER_LEASE = 4

/** Parses an API time to milliseconds since the Unix epoch; undefined if it is absent or invalid. */
export const instantOfText = (text: string | null | undefined): number | undefined => {
  if (text === undefined || text === null) return undefined
  const parsed = parseTime(text)
  return Number.isNaN(parsed) ? undefined : parsed
}

const latest = (...times: ReadonlyArray<number | undefined>): number | undefined => {
  const known = times.filter((time) => time !== undefined)
  return known.length === 0 ? undefined : Math.max(...known)
}

/**
 * The last sign of life of a node, by its own clock: the source of the controller's record, which is not in the API. A
 * node that never posted a status counts from its creation.
 */
export const lastSignOf = (node: Node, lease: Lease | undefined): number | undefined =>
  latest(
    instantOfText(lease?.spec?.renewTime),
    instantOfText(getNodeCondition(node, nodeReady)?.lastHeartbeatTime),
    getNodeCondition(node, nodeReady) === undefined ? instantOfText(node.metadata.creationTimestamp) : undefined
  )

/** Whether a healthy kubelet would have given a sign of life since its last one. */
export const isSilent = (lastSignMs: number, lease: Lease | undefined, nowMs: number): boolean =>
  nowMs - lastSignMs >
  ((lease?.spec?.leaseDurationSeconds ?? DEFAULT_LEASE_SECONDS) * 1000 * MISSED_RENEWALS) / RENEWALS_PER_LEASE
