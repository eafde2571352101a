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

/** The existing volumes that a claim could be bound to. */
interface Candidates {
  /** A volume is assumed for the claim: if `pick` does not return that one, none may be provisioned instead. */
  readonly isAssumed: boolean
  /** The smallest volume that the node can access and that was not picked for another claim of the pod. */
  readonly pick: (node: Pick<Node, "metadata">, picked: ReadonlyArray<PersistentVolume>) => PersistentVolume | undefined
}

/** The storage that a claim requests, in bytes. */
export const sizeOf = ({ spec }: PersistentVolumeClaim): number => value(spec?.resources?.requests?.storage ?? 0)

/** Whether the volume has the size, mode and attributes class that the claim needs, and is not being deleted. */
const satisfiesClaim = (
  { metadata, spec }: PersistentVolume,
  { size }: VolumeFacts,
  claim: PersistentVolumeClaim,
  minBytes: number
): boolean =>
  size >= minBytes &&
  (spec?.volumeMode ?? "Filesystem") === (claim.spec?.volumeMode ?? "Filesystem") &&
  (spec?.volumeAttributesClassName ?? "") === (claim.spec?.volumeAttributesClassName ?? "") &&
  metadata.deletionTimestamp === undefined

/** Whether a volume without a claimRef is available and has the labels and access modes that the claim needs. */
const isAvailableTo = ({ metadata, spec, status }: PersistentVolume, claim: PersistentVolumeClaim): boolean =>
  status?.phase === "Available" &&
  (claim.spec?.selector === undefined || matchesLabelSelector(claim.spec.selector, metadata.labels)) &&
  (claim.spec?.accessModes ?? []).every((mode) => spec?.accessModes?.includes(mode) === true)

/**
 * Number of volumes from which on a bucket is filtered once per claim, for all nodes. Smaller ones, typically the local
 * disks of one node, are filtered when that node is checked, if it is.
 */
const LARGE_BUCKET = 8

/** Picks among the volumes of the claim's class that are not bound to, or assumed for, any claim. */
const pickFromClass = (claim: PersistentVolumeClaim, volumes: Volumes): Candidates["pick"] => {
  const ofClass = volumes.ofClass(storageClassNameOf(claim))
  if (ofClass === undefined) return () => undefined
  const { assumed } = volumes
  const minBytes = sizeOf(claim)
  const isFree = ({ facts, name, volume }: Candidate) =>
    volume.spec?.claimRef === undefined &&
    assumed.claimOf(name) === undefined &&
    satisfiesClaim(volume, facts, claim, minBytes) &&
    isAvailableTo(volume, claim)
  const freeByBucket = new Map<Bucket, Bucket>()
  const freeVolumesOf = (bucket: Bucket): Bucket => {
    const free = freeByBucket.get(bucket) ?? bucket.filter(isFree)
    freeByBucket.set(bucket, free)
    return free
  }
  return (node, picked) => {
    let best: Candidate | undefined
    ofClass.forNode(node, (bucket) => {
      const isLarge = bucket.length > LARGE_BUCKET
      for (const candidate of isLarge ? freeVolumesOf(bucket) : bucket) {
        if (best !== undefined && !comesFirst(candidate, best)) return
        if (picked.includes(candidate.volume) || !(isLarge || isFree(candidate))) continue
        if (!candidate.facts.nodeAffinityMatches(node)) continue
        best = candidate
        return
      }
    })
    return best?.volume
  }
}

/** Picks this volume if the node can access it, else none. */
const pickOnly =
  (volume: PersistentVolume | undefined): Candidates["pick"] =>
  (node) =>
    volume !== undefined && factsOf(volume).nodeAffinityMatches(node) ? volume : undefined

/**
 * The existing volumes for a claim. If a volume is assumed for the claim, or names it in its claimRef, it is the only
 * candidate.
 * Upstream: staging/src/k8s.io/component-helpers/storage/volume/pv_helpers.go FindMatchingVolume.
 */
export const candidatesFor = (claim: PersistentVolumeClaim, volumes: Volumes): Candidates => {
  const { assumed } = volumes
  const assumption = assumed.volumeOf(claimKeyOf(claim))
  if (assumption !== undefined) return { isAssumed: true, pick: pickOnly(volumes.volume(assumption)) }
  const minBytes = sizeOf(claim)
  for (const volume of volumes.preBoundTo(claim)) {
    const isAssumedForOther = assumed.claimOf(volume.metadata.name ?? "") !== undefined
    if (isAssumedForOther || storageClassNameOf(volume) !== storageClassNameOf(claim) || !isVolumeOf(volume, claim))
      continue
    if (satisfiesClaim(volume, factsOf(volume), claim, minBytes)) return { isAssumed: false, pick: pickOnly(volume) }
  }
  return { isAssumed: false, pick: pickFromClass(claim, volumes) }
}
