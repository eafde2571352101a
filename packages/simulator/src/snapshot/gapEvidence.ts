import type { KindName } from "@rollcall/api"
import { plural, some } from "@rollcall/text"
import type { Listed, OutsideOwner } from "./outsideOwners.ts"
import type { SnapshotReader } from "./snapshotKinds.ts"

/** What a snapshot has to say on what it lacks. */
export interface Evidence {
  readonly reader: SnapshotReader
  readonly listed: ReadonlyArray<Listed>
  /** Some are there, or it is known that there are none. */
  readonly isShown: (kind: KindName) => boolean
  readonly of: <A>(kind: KindName) => ReadonlyArray<A>
  readonly outside: ReadonlyArray<OutsideOwner>
  /** It is known when the cluster was read. */
  readonly isDated: boolean
}

/** What is said of a kind that the snapshot lacks; undefined: nothing. */
export type Judge = (evidence: Evidence) => string | undefined

/** What becomes of pods whose owners are not there. */
export const KEPT = "what they own is kept as it is, and not replaced when it goes, whatever they would do"

/** Owners that are not there, by some of what they own. */
export const ownersText = (kind: string, owners: ReadonlyArray<OutsideOwner>, consequence: string): string => {
  const all = owners.flatMap((owner) => owner.owned)
  const pods = all.filter((one) => one.kind === "Pod")
  const owned = pods.length > 0 ? pods : all
  const names = owned.map(({ object: { metadata } }) => `${metadata.namespace ?? ""}/${metadata.name ?? ""}`)
  const ownedKind = owned[0]?.kind ?? "Pod"
  return `the snapshot lacks ${plural(owners.length, kind)} of ${plural(owned.length, ownedKind)} (${some(names, 2)}): ${consequence}`
}
