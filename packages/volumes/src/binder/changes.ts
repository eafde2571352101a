import {
  annotationBetaStorageProvisioner,
  annotationBindCompleted,
  annotationBoundByController,
  annotationStorageProvisioner,
  isVolumeOf,
  type PersistentVolume,
  type PersistentVolumeClaim
} from "@rollcall/api"
import { referenceTo } from "@rollcall/cluster"

// Each function returns the changed object, or the same object if nothing has to change.

type Annotated = PersistentVolume | PersistentVolumeClaim

const withAnnotations = <A extends Annotated>(object: A, annotations: Readonly<Record<string, string>>): A => {
  const given = object.metadata.annotations ?? {}
  if (Object.entries(annotations).every(([key, value]) => given[key] === value)) return object
  return { ...object, metadata: { ...object.metadata, annotations: { ...given, ...annotations } } }
}

const has = ({ metadata }: Annotated, annotation: string): boolean => metadata.annotations?.[annotation] !== undefined

/** Marks a binding as made by the controller, not by the author of the object. */
const markBoundByController = <A extends Annotated>(object: A): A =>
  has(object, annotationBoundByController) ? object : withAnnotations(object, { [annotationBoundByController]: "yes" })

/**
 * The volume with a claimRef to the claim, including its UID. Upstream: component-helpers/storage/volume
 * GetBindVolumeToClaim.
 */
export const volumeBoundTo = (volume: PersistentVolume, claim: PersistentVolumeClaim): PersistentVolume => {
  const marked = isVolumeOf(volume, claim) ? volume : markBoundByController(volume)
  if (isVolumeOf(volume, claim) && volume.spec?.claimRef?.uid === claim.metadata.uid) return marked
  return { ...marked, spec: { ...marked.spec, claimRef: referenceTo(claim) } }
}

/** The claim bound to the volume. Upstream: bindClaimToVolume. */
export const claimBoundTo = (claim: PersistentVolumeClaim, volume: PersistentVolume): PersistentVolumeClaim => {
  const { name = "" } = volume.metadata
  const named =
    claim.spec?.volumeName === name
      ? claim
      : markBoundByController({ ...claim, spec: { ...claim.spec, volumeName: name } })
  return has(named, annotationBindCompleted) ? named : withAnnotations(named, { [annotationBindCompleted]: "yes" })
}

/**
 * The volume without its binding. If its author named the claim, the claimRef stays, without the UID. Upstream:
 * unbindVolume.
 */
export const unboundVolume = (volume: PersistentVolume): PersistentVolume => {
  const { claimRef, ...spec } = volume.spec ?? {}
  if (!has(volume, annotationBoundByController)) {
    const { uid: _, ...reference } = claimRef ?? {}
    return { ...volume, spec: { ...spec, claimRef: reference } }
  }
  const { [annotationBoundByController]: _, ...others } = volume.metadata.annotations ?? {}
  const { annotations: __, ...metadata } = volume.metadata
  const rest = Object.keys(others).length === 0 ? {} : { annotations: others }
  return { ...volume, metadata: { ...metadata, ...rest }, spec }
}

type VolumePhase = NonNullable<NonNullable<PersistentVolume["status"]>["phase"]>

/** The volume in a phase. `at` is the transition time, which the API server of Kubernetes sets itself. */
export const volumeInPhase = (
  volume: PersistentVolume,
  phase: VolumePhase,
  at: string,
  message = ""
): PersistentVolume => {
  if (volume.status?.phase === phase) return volume
  const { message: _, ...status } = volume.status ?? {}
  const messageField = message === "" ? {} : { message }
  return { ...volume, status: { ...status, phase, ...messageField, lastPhaseTransitionTime: at } }
}

/**
 * The claim in a phase, with the capacity, access modes and class of attributes of its volume. Upstream:
 * updateClaimStatus.
 */
export const claimInPhase = (
  claim: PersistentVolumeClaim,
  phase: "Pending" | "Bound" | "Lost",
  volume?: PersistentVolume
): PersistentVolumeClaim => {
  const { accessModes, capacity, currentVolumeAttributesClassName, ...status } = claim.status ?? {}
  const isInPhase = claim.status?.phase === phase
  if (volume === undefined) {
    const hasNone =
      accessModes === undefined && capacity === undefined && currentVolumeAttributesClassName === undefined
    return isInPhase && hasNone ? claim : { ...claim, status: { ...status, phase } }
  }
  const offered = volume.spec?.accessModes ?? []
  const sameModes = accessModes !== undefined && offered.join() === accessModes.join()
  // A bound claim's capacity and class are its own: others may have changed them.
  if (isInPhase) return sameModes ? claim : { ...claim, status: { ...claim.status, accessModes: offered } }
  const offeredCapacity = volume.spec?.capacity
  const size = offeredCapacity === undefined ? {} : { capacity: offeredCapacity }
  const becomesBound = claim.status?.phase === "Pending" && phase === "Bound"
  const name = becomesBound ? volume.spec?.volumeAttributesClassName : currentVolumeAttributesClassName
  const attributes = name === undefined ? {} : { currentVolumeAttributesClassName: name }
  return { ...claim, status: { ...status, phase, accessModes: offered, ...size, ...attributes } }
}

/** The claim annotated with its provisioner. Upstream: setClaimProvisioner. */
export const claimFor = (claim: PersistentVolumeClaim, provisioner: string): PersistentVolumeClaim =>
  claim.metadata.annotations?.[annotationStorageProvisioner] === provisioner
    ? claim
    : withAnnotations(claim, {
        [annotationBetaStorageProvisioner]: provisioner,
        [annotationStorageProvisioner]: provisioner
      })
