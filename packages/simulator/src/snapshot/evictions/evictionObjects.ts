import type { Lease, Node, Pod } from "@rollcall/api"
import type { KnowledgeGap } from "@rollcall/text"
import type { ListedObject } from "../cluster/ClusterObjects.ts"
import type { SnapshotKindName } from "../snapshotKinds.ts"
import { datedObjects, snapshotTime } from "../snapshotTime.ts"

/** The kinds that an eviction forecast reads. */
export const forecastKinds = ["Node", "Lease", "Pod"] as const satisfies ReadonlyArray<SnapshotKindName>

/** The objects that an eviction forecast reads. */
export interface EvictionObjects {
  /** The time of the forecast, in milliseconds since the Unix epoch. */
  readonly nowMs: number
  readonly nodes: ReadonlyArray<Node>
  /** The node Leases; undefined if none was read, so that heartbeats are unknown. */
  readonly leases: ReadonlyArray<Lease> | undefined
  readonly pods: ReadonlyArray<Pod>
}

/** The objects that an eviction forecast reads, and the kinds that could not be read. */
export interface EvictionInput extends EvictionObjects {
  readonly gaps: ReadonlyArray<KnowledgeGap>
}

/**
 * Selects the objects that an eviction forecast needs. `nowMs` is the time of the reading; if it is undefined, or earlier than most
 * Lease renewals, the latest timestamp in the objects is used instead.
 */
export const evictionObjects = (found: ReadonlyArray<ListedObject>, nowMs?: number): EvictionObjects => {
  const dated = datedObjects(found)
  const { leases, nodes, pods } = dated
  return { nowMs: snapshotTime(dated, nowMs), nodes, leases: leases.length === 0 ? undefined : leases, pods }
}
