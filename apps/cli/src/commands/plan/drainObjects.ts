import type { KindName, KubeObject, Node, ObjectOf, Pod } from "@rollcall/api"
import { parseTime } from "@rollcall/api"
import { type Gap, type OutsideOwner, type SnapshotKindName, snapshotKinds } from "@rollcall/simulator/snapshot"

/** What a plan looks at. Nodes and pods it needs; of the others it uses what there is. */
export const plannedKinds: ReadonlyArray<SnapshotKindName> = snapshotKinds.flatMap(({ kind, readers }) =>
  (readers as ReadonlyArray<string>).includes("plan drain") ? [kind] : []
)
export type PlannedKind = SnapshotKindName

/** What is not to be seen of a cluster. */
export interface Unseen {
  /** Owners that objects name. */
  readonly outside: ReadonlyArray<OutsideOwner>
  /** What cannot be known for that. */
  readonly gaps: ReadonlyArray<Gap>
}

/** The objects of a cluster at one instant. */
export interface ClusterObjects extends Unseen {
  readonly nowMs: number
  readonly of: <K extends PlannedKind>(kind: K) => ReadonlyArray<ObjectOf<K>>
}

interface Found {
  readonly kind: KindName
  readonly object: KubeObject
}

/** The kind under which it was listed: items of lists do not name their own. */
const isOf = <K extends PlannedKind>(kind: K, found: Found): found is Found & { readonly object: ObjectOf<K> } =>
  found.kind === kind

const nothingUnseen: Unseen = { outside: [], gaps: [] }

export const clusterObjects = (
  nowMs: number,
  objects: ReadonlyArray<Found>,
  unseen: Unseen = nothingUnseen
): ClusterObjects => ({
  ...unseen,
  nowMs,
  of: <K extends PlannedKind>(kind: K) => objects.flatMap((found) => (isOf(kind, found) ? [found.object] : []))
})

const timesOfNode = ({ metadata, status }: Node): ReadonlyArray<string | undefined> => [
  metadata.creationTimestamp,
  ...(status?.conditions ?? []).flatMap(({ lastHeartbeatTime, lastTransitionTime }) => [
    lastHeartbeatTime,
    lastTransitionTime
  ])
]

const timesOfPod = ({ metadata, status }: Pod): ReadonlyArray<string | undefined> => [
  metadata.creationTimestamp,
  status?.startTime,
  ...(status?.conditions ?? []).map(({ lastTransitionTime }) => lastTransitionTime)
]

/** A file does not say when it was written: it was after the last thing in it that happened. */
export const instantOf = (nodes: ReadonlyArray<Node>, pods: ReadonlyArray<Pod>): number => {
  let latest = 0
  for (const time of [...nodes.flatMap(timesOfNode), ...pods.flatMap(timesOfPod)]) {
    if (typeof time === "string") latest = Math.max(latest, parseTime(time))
  }
  return latest
}
