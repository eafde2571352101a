import {
  matchesLabelSelector,
  type Node,
  type PersistentVolume,
  type PersistentVolumeClaim,
  value
} from "@rollcall/api"
import type { Volumes } from "../cache/Volumes.ts"
import { claimKeyOf, classOf, isVolumeOf } from "./claimFacts.ts"
import { factsOf } from "./volumeFacts.ts"

/** The volumes that would do for a claim, smallest first. */
interface Candidates {
  /** One was promised to it: it gets that one or none, and none is made for it. */
  readonly isPromised: boolean
  /** The best of those that the node can reach and that are not taken. */
  readonly pick: (node: Pick<Node, "metadata">, taken: ReadonlySet<string>) => PersistentVolume | undefined
}

export const sizeOf = ({ spec }: PersistentVolumeClaim): number => value(spec?.resources?.requests?.storage ?? 0)

/** Whether the volume would do, wherever the pod goes and whoever has it. */
const suits = (
  { metadata, spec }: PersistentVolume,
  size: number,
  claim: PersistentVolumeClaim,
  wanted: number
): boolean =>
  size >= wanted &&
  (spec?.volumeMode ?? "Filesystem") === (claim.spec?.volumeMode ?? "Filesystem") &&
  (spec?.volumeAttributesClassName ?? "") === (claim.spec?.volumeAttributesClassName ?? "") &&
  metadata.deletionTimestamp === undefined

/** Whether a volume that is nobody's may become this claim's. */
const isFree = ({ metadata, spec, status }: PersistentVolume, claim: PersistentVolumeClaim): boolean =>
  status?.phase === "Available" &&
  (claim.spec?.selector === undefined || matchesLabelSelector(claim.spec.selector, metadata.labels)) &&
  (claim.spec?.accessModes ?? []).every((mode) => spec?.accessModes?.includes(mode) === true)

interface Candidate {
  readonly name: string
  readonly rank: number
  readonly volume: PersistentVolume
}

const bySizeAndName = (left: PersistentVolume, right: PersistentVolume): number => {
  const bySize = factsOf(left).size - factsOf(right).size
  if (bySize !== 0) return bySize
  return (left.metadata.name ?? "") < (right.metadata.name ?? "") ? -1 : 1
}

/** Local and zonal volumes are found by the label that they are pinned to: a node looks at its own only. */
const indexed = (volumes: ReadonlyArray<PersistentVolume>) => {
  const open: Array<Candidate> = []
  const pinned = new Map<string, Map<string, Array<Candidate>>>()
  volumes.forEach((volume, rank) => {
    const { pin } = factsOf(volume)
    const candidate = { name: volume.metadata.name ?? "", rank, volume }
    if (pin === undefined) {
      open.push(candidate)
      return
    }
    const byValue = pinned.get(pin.label) ?? new Map<string, Array<Candidate>>()
    pinned.set(pin.label, byValue)
    for (const text of pin.values) {
      const alike = byValue.get(text)
      if (alike === undefined) byValue.set(text, [candidate])
      else alike.push(candidate)
    }
  })
  return { open, pinned }
}

const pickFrom = (volumes: ReadonlyArray<PersistentVolume>): Candidates["pick"] => {
  const { open, pinned } = indexed(volumes)
  return (node, taken) => {
    let best: Candidate | undefined
    const look = (candidates: ReadonlyArray<Candidate>) => {
      for (const candidate of candidates) {
        if (best !== undefined && candidate.rank >= best.rank) return
        if (taken.has(candidate.name) || !factsOf(candidate.volume).reaches(node)) continue
        best = candidate
        return
      }
    }
    look(open)
    for (const [label, byValue] of pinned) look(byValue.get(node.metadata.labels?.[label] ?? "") ?? [])
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
  const free: Array<PersistentVolume> = []
  for (const volume of volumes.ofClass(classOf(claim))) {
    if (promises.claimOf(volume.metadata.name ?? "") !== undefined) continue
    const isOwn = isVolumeOf(volume, claim)
    if (!isOwn && volume.spec?.claimRef !== undefined) continue
    if (!suits(volume, factsOf(volume).size, claim, wanted)) continue
    if (isOwn) return { isPromised: false, pick: only(volume) }
    if (isFree(volume, claim)) free.push(volume)
  }
  return { isPromised: false, pick: pickFrom(free.sort(bySizeAndName)) }
}
