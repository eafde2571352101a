import {
  isVolumeOf,
  matchesLabelSelector,
  type Node,
  type PersistentVolume,
  type PersistentVolumeClaim,
  storageClassNameOf,
  value
} from "@rollcall/api"
import type { Volumes } from "../cache/Volumes.ts"
import { type Bucket, type Candidate, comesFirst } from "./ClassVolumes.ts"
import { claimKeyOf } from "./claimFacts.ts"
import { factsOf, type VolumeFacts } from "./volumeFacts.ts"

/** The volumes that suit a claim, smallest first. */
interface Candidates {
  /** A volume is assumed for it, or pre-bound to it: it gets that one or none, and none is provisioned. */
  readonly isAssumed: boolean
  /** The best one that the node can reach and that is not taken. */
  readonly pick: (node: Pick<Node, "metadata">, taken: ReadonlyArray<PersistentVolume>) => PersistentVolume | undefined
}

export const sizeOf = ({ spec }: PersistentVolumeClaim): number => value(spec?.resources?.requests?.storage ?? 0)

/** Whether the volume satisfiesClaim the claim, regardless of node and binding. */
const satisfiesClaim = (
  { metadata, spec }: PersistentVolume,
  { size }: VolumeFacts,
  claim: PersistentVolumeClaim,
  wanted: number
): boolean =>
  size >= wanted &&
  (spec?.volumeMode ?? "Filesystem") === (claim.spec?.volumeMode ?? "Filesystem") &&
  (spec?.volumeAttributesClassName ?? "") === (claim.spec?.volumeAttributesClassName ?? "") &&
  metadata.deletionTimestamp === undefined

/** Whether an unbound volume may be bound to this claim. */
const isOpenTo = ({ metadata, spec, status }: PersistentVolume, claim: PersistentVolumeClaim): boolean =>
  status?.phase === "Available" &&
  (claim.spec?.selector === undefined || matchesLabelSelector(claim.spec.selector, metadata.labels)) &&
  (claim.spec?.accessModes ?? []).every((mode) => spec?.accessModes?.includes(mode) === true)

/** Larger buckets are searched once per claim, smaller ones for each node. */
const LARGE_BUCKET = 8

/** The volumes of a class that are free for a claim. */
const freeOf = (claim: PersistentVolumeClaim, volumes: Volumes): Candidates["pick"] => {
  const ofClass = volumes.ofClass(storageClassNameOf(claim))
  if (ofClass === undefined) return () => undefined
  const { assumed } = volumes
  const wanted = sizeOf(claim)
  const isFree = ({ facts, name, volume }: Candidate) =>
    volume.spec?.claimRef === undefined &&
    assumed.claimOf(name) === undefined &&
    satisfiesClaim(volume, facts, claim, wanted) &&
    isOpenTo(volume, claim)
  const known = new Map<Bucket, Bucket>()
  const scanLargeBucket = (bucket: Bucket): Bucket => {
    const free = known.get(bucket) ?? bucket.filter(isFree)
    known.set(bucket, free)
    return free
  }
  return (node, taken) => {
    let best: Candidate | undefined
    ofClass.forNode(node, (bucket) => {
      const isLarge = bucket.length > LARGE_BUCKET
      for (const candidate of isLarge ? scanLargeBucket(bucket) : bucket) {
        if (best !== undefined && !comesFirst(candidate, best)) return
        if (taken.includes(candidate.volume) || !(isLarge || isFree(candidate))) continue
        if (!candidate.facts.reaches(node)) continue
        best = candidate
        return
      }
    })
    return best?.volume
  }
}

const only =
  (volume: PersistentVolume | undefined): Candidates["pick"] =>
  (node) =>
    volume !== undefined && factsOf(volume).reaches(node) ? volume : undefined

/**
 * The existing volumes for a claim. A volume that is pre-bound to it, or assumed for it, is the only one.
 * Upstream: staging/src/k8s.io/component-helpers/storage/volume/pv_helpers.go FindMatchingVolume.
 */
export const candidatesFor = (claim: PersistentVolumeClaim, volumes: Volumes): Candidates => {
  const { assumed } = volumes
  const assumption = assumed.volumeOf(claimKeyOf(claim))
  if (assumption !== undefined) return { isAssumed: true, pick: only(volumes.volume(assumption)) }
  const wanted = sizeOf(claim)
  for (const volume of volumes.meantFor(claim)) {
    const isTaken = assumed.claimOf(volume.metadata.name ?? "") !== undefined
    if (isTaken || storageClassNameOf(volume) !== storageClassNameOf(claim) || !isVolumeOf(volume, claim)) continue
    if (satisfiesClaim(volume, factsOf(volume), claim, wanted)) return { isAssumed: false, pick: only(volume) }
  }
  return { isAssumed: false, pick: freeOf(claim, volumes) }
}
