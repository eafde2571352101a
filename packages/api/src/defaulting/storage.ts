import type { PersistentVolume, PersistentVolumeClaim } from "../objects/PersistentVolume.ts"
import type { CSIDriver, StorageClass } from "../objects/StorageClass.ts"
import { withDefaults, withFields } from "./fill.ts"
import { completeSource } from "./volumes.ts"

/** Upstream: pkg/apis/core/v1/defaults.go, pkg/apis/storage/v1/defaults.go. */

const volumeDefaults = { persistentVolumeReclaimPolicy: "Retain", volumeMode: "Filesystem" } as const

export const defaultPersistentVolume = (volume: PersistentVolume): PersistentVolume => {
  const spec = completeSource(withDefaults(volume.spec ?? {}, volumeDefaults))
  const status = withDefaults(volume.status ?? {}, { phase: "Pending" })
  return withFields(volume, { spec, status })
}

export const defaultPersistentVolumeClaim = (claim: PersistentVolumeClaim): PersistentVolumeClaim =>
  withFields(claim, {
    spec: withDefaults(claim.spec ?? {}, { volumeMode: "Filesystem" }),
    status: withDefaults(claim.status ?? {}, { phase: "Pending" })
  })

export const defaultStorageClass = (storageClass: StorageClass): StorageClass =>
  withDefaults(storageClass, { reclaimPolicy: "Delete", volumeBindingMode: "Immediate" })

const driverDefaults = {
  attachRequired: true,
  podInfoOnMount: false,
  storageCapacity: false,
  fsGroupPolicy: "ReadWriteOnceWithFSType",
  requiresRepublish: false,
  seLinuxMount: false
} as const

export const defaultCSIDriver = (driver: CSIDriver): CSIDriver => {
  const spec = withDefaults(driver.spec ?? {}, driverDefaults)
  const modes = spec.volumeLifecycleModes ?? []
  return withFields(driver, {
    spec: modes.length === 0 ? { ...spec, volumeLifecycleModes: ["Persistent"] } : spec
  })
}
