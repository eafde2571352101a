import { type Lease, type Node, nodeLeaseNamespace, type Pod, parseTime } from "@rollcall/api"
import type { ListedObject } from "./cluster/ClusterObjects.ts"
import { latestTimestamp } from "./cluster/latestTimestamp.ts"

/** The objects of a snapshot whose times say when it was taken. */
export interface DatedObjects {
  readonly nodes: ReadonlyArray<Node>
  /** The Leases of nodes. */
  readonly leases: ReadonlyArray<Lease>
  readonly pods: ReadonlyArray<Pod>
}

const isNode = (found: ListedObject): found is { readonly kind: "Node"; readonly object: Node } => found.kind === "Node"
const isPod = (found: ListedObject): found is { readonly kind: "Pod"; readonly object: Pod } => found.kind === "Pod"
const isLease = (found: ListedObject): found is { readonly kind: "Lease"; readonly object: Lease } =>
  found.kind === "Lease"

/** Selects the Nodes, the Leases of nodes and the Pods. */
export const datedObjects = (found: ReadonlyArray<ListedObject>): DatedObjects => ({
  nodes: found.filter(isNode).map(({ object }) => object),
  leases: found
    .filter(isLease)
    .map(({ object }) => object)
    .filter(({ metadata }) => metadata.namespace === nodeLeaseNamespace),
  pods: found.filter(isPod).map(({ object }) => object)
})

/** Returns when the deletion of a terminating pod was requested (ms since the epoch), or 0. */
const deletionRequestedMs = ({ metadata }: Pod): number =>
  typeof metadata.deletionTimestamp === "string"
    ? parseTime(metadata.deletionTimestamp) - (metadata.deletionGracePeriodSeconds ?? 0) * 1000
    : 0

const timeOf = (time: string | null | undefined): number => (typeof time === "string" ? parseTime(time) : 0)

/** Returns the latest timestamp in the objects, including heartbeats, taints and deletions. */
const latestSignOf = ({ leases, nodes, pods }: DatedObjects): number => {
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
 * Returns the cluster's time when a snapshot was taken, in milliseconds since the Unix epoch. `takenMs` is the time of the reading; if
 * it is undefined, or earlier than most Lease renewals, the latest timestamp in the objects is used instead: 0 if they have none.
 */
export const snapshotTime = (objects: DatedObjects, takenMs: number | undefined): number =>
  takenMs === undefined || isBehind(takenMs, objects.leases) ? latestSignOf(objects) : takenMs
