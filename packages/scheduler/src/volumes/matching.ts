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

/** The volumes that would do for a claim, smallest first. */
interface Candidates {
  /** One was promised to it: it gets that one or none, and none is made for it. */
  readonly isPromised: boolean
  /** The best of those that the node can reach and that are not taken. */
  readonly pick: (node: Pick<Node, "metadata">, taken: ReadonlyArray<PersistentVolume>) => PersistentVolume | undefined
}

export const sizeOf = ({ spec }: PersistentVolumeClaim): number => value(spec?.resources?.requests?.storage ?? 0)

/** Whether the volume would do, wherever the pod goes and whoever has it. */
const suits = (
  { metadata, spec }: PersistentVolume,
  { size }: VolumeFacts,
  claim: PersistentVolumeClaim,
  wanted: number
): boolean =>
  size >= wanted &&
  (spec?.volumeMode ?? "Filesystem") === (claim.spec?.volumeMode ?? "Filesystem") &&
  (spec?.volumeAttributesClassName ?? "") === (claim.spec?.volumeAttributesClassName ?? "") &&
  metadata.deletionTimestamp === undefined

/** Whether a volume that is nobody's may become this claim's. */
const isOpenTo = ({ metadata, spec, status }: PersistentVolume, claim: PersistentVolumeClaim): boolean =>
  status?.phase === "Available" &&
  (claim.spec?.selector === undefined || matchesLabelSelector(claim.spec.selector, metadata.labels)) &&
  (claim.spec?.accessModes ?? []).every((mode) => spec?.accessModes?.includes(mode) === true)

/** Larger buckets are gone through once for a claim, smaller ones for each node that asks. */
const LARGE_BUCKET = 8

/** The volumes of a class that are free for a claim. */
const freeOf = (claim: PersistentVolumeClaim, volumes: Volumes): Candidates["pick"] => {
  const ofClass = volumes.ofClass(storageClassNameOf(claim))
  if (ofClass === undefined) return () => undefined
  const { promises } = volumes
  const wanted = sizeOf(claim)
  const isFree = ({ facts, name, volume }: Candidate) =>
    volume.spec?.claimRef === undefined &&
    promises.claimOf(name) === undefined &&
    suits(volume, facts, claim, wanted) &&
    isOpenTo(volume, claim)
  const known = new Map<Bucket, Bucket>()
  const throughLarge = (bucket: Bucket): Bucket => {
    const free = known.get(bucket) ?? bucket.filter(isFree)
    known.set(bucket, free)
    return free
  }
  return (node, taken) => {
    let best: Candidate | undefined
    ofClass.forNode(node, (bucket) => {
      const isLarge = bucket.length > LARGE_BUCKET
      for (const candidate of isLarge ? throughLarge(bucket) : bucket) {
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
 * The volumes that there are for a claim. One that is meant for it, by its author or because it was promised, is the only one.
 * Upstream: staging/src/k8s.io/component-helpers/storage/volume/pv_helpers.go FindMatchingVolume.
 */
export const candidatesFor = (claim: PersistentVolumeClaim, volumes: Volumes): Candidates => {
  const { promises } = volumes
  const promised = promises.volumeOf(claimKeyOf(claim))
  if (promised !== undefined) return { isPromised: true, pick: only(volumes.volume(promised)) }
  const wanted = sizeOf(claim)
  for (const volume of volumes.meantFor(claim)) {
    const isTaken = promises.claimOf(volume.metadata.name ?? "") !== undefined
    if (isTaken || storageClassNameOf(volume) !== storageClassNameOf(claim) || !isVolumeOf(volume, claim)) continue
    if (suits(volume, factsOf(volume), claim, wanted)) return { isPromised: false, pick: only(volume) }
  }
  return { isPromised: false, pick: freeOf(claim, volumes) }
}
