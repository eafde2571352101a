import {
  compareQuantity,
  isVolumeOf,
  matchesLabelSelector,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type Quantity,
  storageClassNameOf
} from "@rollcall/api"

const requested = ({ spec }: PersistentVolumeClaim): Quantity => spec?.resources?.requests?.storage ?? "0"
const sizeOf = ({ spec }: PersistentVolume): Quantity => spec?.capacity?.storage ?? "0"
const modeOf = ({ spec }: PersistentVolume | PersistentVolumeClaim): string => spec?.volumeMode ?? "Filesystem"
const attributesOf = ({ spec }: PersistentVolume | PersistentVolumeClaim): string =>
  spec?.volumeAttributesClassName ?? ""

export const differsInMode = (claim: PersistentVolumeClaim, volume: PersistentVolume): boolean =>
  modeOf(claim) !== modeOf(volume)

const offersModes = (claim: PersistentVolumeClaim, volume: PersistentVolume): boolean =>
  (claim.spec?.accessModes ?? []).every((mode) => volume.spec?.accessModes?.includes(mode) === true)

/**
 * Why a claim cannot be bound to the volume that it requests by name; undefined if it can. Upstream: pv_controller.go
 * checkVolumeSatisfyClaim.
 */
export const mismatchOf = (claim: PersistentVolumeClaim, volume: PersistentVolume): string | undefined => {
  if (volume.metadata.deletionTimestamp !== undefined) {
    return `the volume is marked for deletion "${volume.metadata.name}"`
  }
  if (compareQuantity(sizeOf(volume), requested(claim)) < 0) return "requested PV is too small"
  if (storageClassNameOf(volume) !== storageClassNameOf(claim)) return "storageClassName does not match"
  if (attributesOf(volume) !== attributesOf(claim)) return "volumeAttributesClassName does not match"
  if (differsInMode(claim, volume)) return "incompatible volumeMode"
  return offersModes(claim, volume) ? undefined : "incompatible accessMode"
}

/** Whether the volume fulfils the conditions on any volume for the claim, pre-bound or not. */
const suffices = (claim: PersistentVolumeClaim, volume: PersistentVolume): boolean =>
  (volume.spec?.claimRef === undefined || isVolumeOf(volume, claim)) &&
  compareQuantity(sizeOf(volume), requested(claim)) >= 0 &&
  !differsInMode(claim, volume) &&
  attributesOf(volume) === attributesOf(claim) &&
  volume.metadata.deletionTimestamp === undefined

const isAvailable = (claim: PersistentVolumeClaim, volume: PersistentVolume): boolean =>
  volume.status?.phase === "Available" &&
  (claim.spec?.selector === undefined || matchesLabelSelector(claim.spec.selector, volume.metadata.labels)) &&
  storageClassNameOf(volume) === storageClassNameOf(claim)

/**
 * The best of volumes with the same access modes: one that is pre-bound to the claim, else the smallest available one.
 */
const bestOf = (
  claim: PersistentVolumeClaim,
  volumes: ReadonlyArray<PersistentVolume>,
  onlyPreBound: boolean
): PersistentVolume | undefined => {
  let smallest: PersistentVolume | undefined
  for (const volume of volumes) {
    if (!suffices(claim, volume)) continue
    if (isVolumeOf(volume, claim)) return volume
    if (onlyPreBound || !isAvailable(claim, volume)) continue
    if (smallest === undefined || compareQuantity(sizeOf(volume), sizeOf(smallest)) < 0) smallest = volume
  }
  return smallest
}

/** Volumes grouped by access modes, the fewest modes first. */
const byModes = (volumes: ReadonlyArray<PersistentVolume>): ReadonlyArray<ReadonlyArray<PersistentVolume>> => {
  const groups = new Map<string, Array<PersistentVolume>>()
  for (const volume of volumes) {
    const modes = [...(volume.spec?.accessModes ?? [])].sort().join()
    const group = groups.get(modes)
    if (group === undefined) groups.set(modes, [volume])
    else group.push(volume)
  }
  const count = (modes: string) => modes.split(",").length
  return [...groups].sort(([a], [b]) => count(a) - count(b) || (a < b ? -1 : 1)).map(([, group]) => group)
}

/**
 * The best volume for a claim; undefined if none suffices. Volumes with fewer access modes are preferred, then one that
 * is pre-bound to the claim, then the smallest that is large enough. With `onlyPreBound`, for classes with
 * WaitForFirstConsumer, no other is returned: the scheduler chooses among those. Upstream:
 * pkg/controller/volume/persistentvolume/index.go, component-helpers/storage/volume FindMatchingVolume.
 */
export const bestMatch = (
  claim: PersistentVolumeClaim,
  volumes: ReadonlyArray<PersistentVolume>,
  onlyPreBound: boolean
): PersistentVolume | undefined => {
  for (const group of byModes(volumes.filter((volume) => offersModes(claim, volume)))) {
    const best = bestOf(claim, group, onlyPreBound)
    if (best !== undefined) return best
  }
  return undefined
}
