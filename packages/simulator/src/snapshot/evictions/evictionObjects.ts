import { type Lease, type Node, nodeLeaseNamespace, type Pod, parseTime } from "@rollcall/api"
import type { UnseenKind } from "@rollcall/text"
import type { Found } from "../cluster/ClusterObjects.ts"
import { instantOf } from "../cluster/instantOf.ts"
import type { SnapshotKindName } from "../snapshotKinds.ts"

/** What is looked at. */
export const forecastKinds = ["Node", "Lease", "Pod"] as const satisfies ReadonlyArray<SnapshotKindName>

export interface EvictionObjects {
  readonly nowMs: number
  readonly nodes: ReadonlyArray<Node>
  /** Undefined: there are none to be seen. */
  readonly leases: ReadonlyArray<Lease> | undefined
  readonly pods: ReadonlyArray<Pod>
}

/** With what is not known of the cluster, as it is not to be seen. */
export interface SeenObjects extends EvictionObjects {
  readonly gaps: ReadonlyArray<UnseenKind>
}

const isNode = (found: Found): found is { readonly kind: "Node"; readonly object: Node } => found.kind === "Node"
const isPod = (found: Found): found is { readonly kind: "Pod"; readonly object: Pod } => found.kind === "Pod"
const isLease = (found: Found): found is { readonly kind: "Lease"; readonly object: Lease } => found.kind === "Lease"

/** When a pod that is terminating was told so. */
const deletionAsked = ({ metadata }: Pod): number =>
  typeof metadata.deletionTimestamp === "string"
    ? parseTime(metadata.deletionTimestamp) - (metadata.deletionGracePeriodSeconds ?? 0) * 1000
    : 0

const timeOf = (time: string | null | undefined): number => (typeof time === "string" ? parseTime(time) : 0)

/** The last thing that happened: signs of life and taints are among what there is to see. */
const latestOf = (nodes: ReadonlyArray<Node>, leases: ReadonlyArray<Lease>, pods: ReadonlyArray<Pod>): number => {
  let latest = instantOf(nodes, pods)
  for (const { spec } of leases) latest = Math.max(latest, timeOf(spec?.renewTime))
  for (const { spec } of nodes)
    for (const taint of spec?.taints ?? []) latest = Math.max(latest, timeOf(taint.timeAdded))
  for (const pod of pods) latest = Math.max(latest, deletionAsked(pod))
  return latest
}

/** Whether most nodes live later than this: the clock that says so is behind, or the cluster's time runs faster. */
const isBehind = (nowMs: number, leases: ReadonlyArray<Lease>): boolean =>
  leases.filter(({ spec }) => timeOf(spec?.renewTime) > nowMs + 5000).length > leases.length / 2

/**
 * `nowMs`: when they were read; undefined, or before most of them: that is not known, so it is taken to be as of the last thing that
 * happened in them.
 */
export const evictionObjects = (found: ReadonlyArray<Found>, nowMs?: number): EvictionObjects => {
  const nodes = found.filter(isNode).map(({ object }) => object)
  const pods = found.filter(isPod).map(({ object }) => object)
  const leases = found
    .filter(isLease)
    .map(({ object }) => object)
    .filter(({ metadata }) => metadata.namespace === nodeLeaseNamespace)
  return {
    nowMs: nowMs === undefined || isBehind(nowMs, leases) ? latestOf(nodes, leases, pods) : nowMs,
    nodes,
    leases: leases.length === 0 ? undefined : leases,
    pods
  }
}
