import type { PersistentVolume, PersistentVolumeClaim, PersistentVolumeSpec } from "../objects/PersistentVolume.ts"
import type { VolumeAttachment } from "../objects/Storage.ts"
import type { CSIDriver, StorageClass } from "../objects/StorageClass.ts"
import { withDefaults, withFields, withPointerDefaults } from "./fill.ts"
import { roundedAmounts, withRoundedResources } from "./resourceList.ts"
import { completeSource } from "./volumes.ts"

/** Upstream: pkg/apis/core/v1/defaults.go, pkg/apis/storage/v1/defaults.go. */

const volumeDefaults = { persistentVolumeReclaimPolicy: "Retain" } as const
const modeDefaults = { volumeMode: "Filesystem" } as const

const completeVolume = (spec: PersistentVolumeSpec): PersistentVolumeSpec =>
  withFields(completeSource(spec), { capacity: roundedAmounts(spec.capacity) })

export const defaultPersistentVolume = (volume: PersistentVolume): PersistentVolume => {
  const spec = completeVolume(withPointerDefaults(withDefaults(volume.spec ?? {}, volumeDefaults), modeDefaults))
  const status = withDefaults(volume.status ?? {}, { phase: "Pending" })
  return withFields(volume, { spec, status })
}

export const defaultPersistentVolumeClaim = (claim: PersistentVolumeClaim): PersistentVolumeClaim => {
  const status = withDefaults(claim.status ?? {}, { phase: "Pending" })
  const { allocatedResources, capacity } = status
  return withFields(claim, {
    spec: withRoundedResources(withPointerDefaults(claim.spec ?? {}, modeDefaults)),
    status: withFields(status, {
      capacity: roundedAmounts(capacity),
      allocatedResources: roundedAmounts(allocatedResources)
    })
  })
}

/** An inline volume has the defaults of its source, not those of a PersistentVolume. */
export const defaultVolumeAttachment = (attachment: VolumeAttachment): VolumeAttachment => {
  const { source } = attachment.spec ?? {}
  const inline = source?.inlineVolumeSpec
  if (inline === undefined) return attachment
  const inlineVolumeSpec = completeVolume(inline)
  return withFields(attachment, {
    spec: withFields(attachment.spec, { source: withFields(source, { inlineVolumeSpec }) })
  })
}

export const defaultStorageClass = (storageClass: StorageClass): StorageClass =>
  withPointerDefaults(storageClass, { reclaimPolicy: "Delete", volumeBindingMode: "Immediate" })

const driverDefaults = {
  attachRequired: true,
  podInfoOnMount: false,
  storageCapacity: false,
  fsGroupPolicy: "ReadWriteOnceWithFSType",
  requiresRepublish: false,
  seLinuxMount: false
} as const

export const defaultCSIDriver = (driver: CSIDriver): CSIDriver => {
  const spec = withPointerDefaults(driver.spec ?? {}, driverDefaults)
  const modes = spec.volumeLifecycleModes ?? []
  return withFields(driver, {
    spec: modes.length === 0 ? { ...spec, volumeLifecycleModes: ["Persistent"] } : spec
  })
}
