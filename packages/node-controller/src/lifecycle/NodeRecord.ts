import type { Lease, Node } from "@rollcall/api"
import type { EvictionZone } from "@rollcall/eviction/rules"
import type { NodeHealth } from "./NodeHealth.ts"

/**
 * Mutable, since a heartbeat updates it in place: half a million new objects an hour would burden the garbage
 * collector.
 */
export type MutableNodeHealth = { -readonly [Field in keyof NodeHealth]: NodeHealth[Field] }

/**
 * Everything that the controller knows by one node name: the cached objects, the controller's record, and the result of
 * the last check, so that a pass over an unchanged node costs a few comparisons.
 */
export interface NodeRecord {
  readonly name: string
  /** The cached version, or the controller's own newer write; undefined when there is no such node (any more). */
  node: Node | undefined
  lease: Lease | undefined
  /**
   * The lease, if it is known to be later than the counted one (`health.lease`). Computed on arrival, while both are
   * in the CPU's cache: a pass over five thousand nodes would have to fetch the times of all their leases from memory.
   */
  newerLease: Lease | undefined
  /** The node as it was registered by a monitor pass; undefined before that, and after its deletion was processed. */
  known: Node | undefined
  /** Outlives the node: a new node with the same name continues with it. */
  health: MutableNodeHealth | undefined
  /** True if some of its pods could not be set to Ready=False: the next pass retries. */
  needsRetry: boolean
  /** The result of the last check, if the next may rely on it. */
  lastCheck: CheckResult | undefined
  /** The row of its lease in the columns of renewals; -1 if `lease` is the newest. */
  row: number
  /** The renewal in the columns that the last check counted; NaN if it counted none. */
  countedMs: number
  /** The row of its unchanged statuses in the columns of reports; -1 if `node` is the newest. */
  reportRow: number
  /** The report in the columns that `node` shows, or an event that is to come. */
  reportedMs: number
  /** Its place in the order of passes; -1 if it is in none. */
  position: number
}

/** The result of a check, valid while the node is the same object and its silence is within the grace period. */
export interface CheckResult {
  /** A later version that brings only heartbeats replaces it. */
  node: Node
  /** The lease last compared. */
  lease: Lease | undefined
  readonly zone: EvictionZone
  readonly excluded: boolean
  readonly ready: boolean
  /** Ready is Unknown already: further silence changes nothing. */
  readonly silent: boolean
  /** Whether the node belongs in its zone's queue; afresh in each pass while it has no taint. */
  readonly queue: "no" | "again" | "afresh"
}
