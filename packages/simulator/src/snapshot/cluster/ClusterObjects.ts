import type { KindName, KubeObject, ObjectOf } from "@rollcall/api"
import type { UnseenKind } from "@rollcall/text"
import type { OutsideOwner } from "../outsideOwners.ts"
import { type SnapshotKindName, snapshotKinds } from "../snapshotKinds.ts"

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
  readonly gaps: ReadonlyArray<UnseenKind>
}

/** The objects of a cluster at one instant. */
export interface ClusterObjects extends Unseen {
  readonly nowMs: number
  readonly of: <K extends PlannedKind>(kind: K) => ReadonlyArray<ObjectOf<K>>
}

/** An object under the kind that it was listed as: items of lists do not name their own. */
export interface Found {
  readonly kind: KindName
  readonly object: KubeObject
}

const isOf = <K extends PlannedKind>(kind: K, found: Found): found is Found & { readonly object: ObjectOf<K> } =>
  found.kind === kind

const nothingUnseen: Unseen = { outside: [], gaps: [] }

/** The objects of a cluster by kind, as of an instant (ms since the epoch). */
export const clusterObjects = (
  nowMs: number,
  objects: ReadonlyArray<Found>,
  unseen: Unseen = nothingUnseen
): ClusterObjects => ({
  ...unseen,
  nowMs,
  of: <K extends PlannedKind>(kind: K) => objects.flatMap((found) => (isOf(kind, found) ? [found.object] : []))
})
