import type { PersistentVolume, PersistentVolumeClaim } from "../objects/PersistentVolume.ts"
import type { CSIDriver, StorageClass } from "../objects/StorageClass.ts"
import { withDefaults, withFields, withPointerDefaults } from "./fill.ts"
import { completeSource } from "./volumes.ts"

/** Upstream: pkg/apis/core/v1/defaults.go, pkg/apis/storage/v1/defaults.go. */

const volumeDefaults = { persistentVolumeReclaimPolicy: "Retain" } as const
const modeDefaults = { volumeMode: "Filesystem" } as const

export const defaultPersistentVolume = (volume: PersistentVolume): PersistentVolume => {
  const spec = completeSource(withPointerDefaults(withDefaults(volume.spec ?? {}, volumeDefaults), modeDefaults))
  const status = withDefaults(volume.status ?? {}, { phase: "Pending" })
  return withFields(volume, { spec, status })
}

export const defaultPersistentVolumeClaim = (claim: PersistentVolumeClaim): PersistentVolumeClaim =>
  withFields(claim, {
    spec: withPointerDefaults(claim.spec ?? {}, modeDefaults),
    status: withDefaults(claim.status ?? {}, { phase: "Pending" })
  })

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
