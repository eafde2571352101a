import { type Lease, type Node, nodeLeaseNamespace, type Pod, parseTime } from "@rollcall/api"
import type { KnowledgeGap } from "@rollcall/text"
import type { ListedObject } from "../cluster/ClusterObjects.ts"
import { latestTimestamp } from "../cluster/latestTimestamp.ts"
import type { SnapshotKindName } from "../snapshotKinds.ts"

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

const isNode = (found: ListedObject): found is { readonly kind: "Node"; readonly object: Node } => found.kind === "Node"
const isPod = (found: ListedObject): found is { readonly kind: "Pod"; readonly object: Pod } => found.kind === "Pod"
const isLease = (found: ListedObject): found is { readonly kind: "Lease"; readonly object: Lease } =>
  found.kind === "Lease"

/** Returns when the deletion of a terminating pod was requested (ms since the epoch), or 0. */
const deletionRequestedMs = ({ metadata }: Pod): number =>
  typeof metadata.deletionTimestamp === "string"
    ? parseTime(metadata.deletionTimestamp) - (metadata.deletionGracePeriodSeconds ?? 0) * 1000
    : 0

const timeOf = (time: string | null | undefined): number => (typeof time === "string" ? parseTime(time) : 0)

/** Returns the latest timestamp in the objects, including heartbeats, taints and deletions. */
const latestSignOf = (nodes: ReadonlyArray<Node>, leases: ReadonlyArray<Lease>, pods: ReadonlyArray<Pod>): number => {
  let latest = latestTimestamp(nodes, pods)
  for (const { spec } of leases) latest = Math.max(latest, timeOf(spec?.renewTime))
  for (const { spec } of nodes)
    for (const taint of spec?.taints ?? []) latest = Math.max(latest, timeOf(taint.timeAdded))
  for (const pod of pods) latest = Math.max(latest, deletionRequestedMs(pod))
  return latest
}

/** The difference between two clocks that is normal. */
const CLOCK_SKEW_MS = 5000

/** Returns whether most Leases were renewed after `nowMs`: then the local clock is behind, or the cluster runs on accelerated time. */
const isBehind = (nowMs: number, leases: ReadonlyArray<Lease>): boolean =>
  leases.filter(({ spec }) => timeOf(spec?.renewTime) > nowMs + CLOCK_SKEW_MS).length > leases.length / 2

/**
 * Selects the objects that an eviction forecast needs. `nowMs` is the time of the reading; if it is undefined, or earlier than most
 * Lease renewals, the latest timestamp in the objects is used instead.
 */
export const evictionObjects = (found: ReadonlyArray<ListedObject>, nowMs?: number): EvictionObjects => {
  const nodes = found.filter(isNode).map(({ object }) => object)
  const pods = found.filter(isPod).map(({ object }) => object)
  const leases = found
    .filter(isLease)
    .map(({ object }) => object)
    .filter(({ metadata }) => metadata.namespace === nodeLeaseNamespace)
  return {
    nowMs: nowMs === undefined || isBehind(nowMs, leases) ? latestSignOf(nodes, leases, pods) : nowMs,
    nodes,
    leases: leases.length === 0 ? undefined : leases,
    pods
  }
}
