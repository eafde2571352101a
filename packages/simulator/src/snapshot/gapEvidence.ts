import type { KindName } from "@rollcall/api"
import { plural, some } from "@rollcall/text"
import type { Listed, OutsideOwner } from "./outsideOwners.ts"
import type { SnapshotReader } from "./snapshotKinds.ts"

/** The contents of a snapshot from which its gaps are found. */
export interface Evidence {
  /** The command that reads the snapshot. */
  readonly reader: SnapshotReader
  readonly listed: ReadonlyArray<Listed>
  /** Whether the snapshot has objects of the kind, or states that there are none. */
  readonly isShown: (kind: KindName) => boolean
  /** Whether the snapshot states that it has all objects of the kind. */
  readonly isWhole: (kind: KindName) => boolean
  /** Returns the objects of a kind. */
  readonly of: <A>(kind: KindName) => ReadonlyArray<A>
  /** The owners that the snapshot lacks. */
  readonly outside: ReadonlyArray<OutsideOwner>
  /** Whether the snapshot records when the cluster was read. */
  readonly isDated: boolean
}

/** Returns the message for a missing kind, or undefined if the kind is not missing or does not matter to the reader. */
export type GapCheck = (evidence: Evidence) => string | undefined

/** The consequence of missing owners for a rehearsal, as the end of a message. */
export const KEEPS_OWNED = "the objects that they own are kept as they are, and are not replaced when they are deleted"

/** Returns the message for missing owners; it names some of their objects. */
export const ownersText = (kind: string, owners: ReadonlyArray<OutsideOwner>, consequence: string): string => {
  const ownedObjects = owners.flatMap((owner) => owner.owned)
  const pods = ownedObjects.filter(({ kind }) => kind === "Pod")
  const owned = pods.length > 0 ? pods : ownedObjects
  const names = owned.map(({ object: { metadata } }) => `${metadata.namespace ?? "default"}/${metadata.name ?? ""}`)
  const ownedKind = owned[0]?.kind ?? "Pod"
  return `the snapshot lacks ${plural(owners.length, kind)} of ${plural(owned.length, ownedKind)} (${some(names, 2)}): ${consequence}`
}
