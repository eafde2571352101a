import type { PersistentVolume, PersistentVolumeClaim } from "../objects/PersistentVolume.ts"

/**
 * Whether the volume refers to this claim, with its UID or without. Upstream: component-helpers/storage/volume
 * IsVolumeBoundToClaim.
 */
export const isVolumeOf = ({ spec }: PersistentVolume, { metadata }: PersistentVolumeClaim): boolean => {
  const reference = spec?.claimRef
  return (
    reference !== undefined &&
    reference.name === metadata.name &&
    reference.namespace === metadata.namespace &&
    (!reference.uid || reference.uid === metadata.uid)
  )
}
