import type { KindName, KubeObject, ObjectOf } from "@rollcall/api"
import type { KnowledgeGap } from "@rollcall/text"
import type { OutsideOwner } from "../outsideOwners.ts"
import { type SnapshotKindName, snapshotKinds } from "../snapshotKinds.ts"

/** The kinds that `plan drain` reads. It requires Nodes and Pods, and works without the others. */
export const plannedKinds: ReadonlyArray<SnapshotKindName> = snapshotKinds.flatMap(({ kind, readers }) =>
  (readers as ReadonlyArray<string>).includes("plan drain") ? [kind] : []
)
export type PlannedKind = SnapshotKindName

/** The parts of a cluster that could not be read. */
export interface MissingObjects {
  /** Owners that objects refer to and that were not read. */
  readonly outside: ReadonlyArray<OutsideOwner>
  /** The kinds that were not read, each with the consequence for the plan. */
  readonly gaps: ReadonlyArray<KnowledgeGap>
}

/** The objects of a cluster at one time, `nowMs` (ms since the epoch). */
export interface ClusterObjects extends MissingObjects {
  readonly nowMs: number
  /** Returns the objects of a kind. */
  readonly of: <K extends PlannedKind>(kind: K) => ReadonlyArray<ObjectOf<K>>
}

/** An object with the kind that was listed: the items of a list do not carry their kind. */
export interface ListedObject {
  readonly kind: KindName
  readonly object: KubeObject
}

const isOf = <K extends PlannedKind>(
  kind: K,
  found: ListedObject
): found is ListedObject & { readonly object: ObjectOf<K> } => found.kind === kind

const nothingMissing: MissingObjects = { outside: [], gaps: [] }

/** Groups the objects of a cluster by kind; `nowMs` is the time of their reading (ms since the epoch). */
export const clusterObjects = (
  nowMs: number,
  objects: ReadonlyArray<ListedObject>,
  missing: MissingObjects = nothingMissing
): ClusterObjects => ({
  ...missing,
  nowMs,
  of: <K extends PlannedKind>(kind: K) => objects.flatMap((found) => (isOf(kind, found) ? [found.object] : []))
})
