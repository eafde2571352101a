import * as defaults from "../defaulting/storage.ts"
import { PersistentVolume, PersistentVolumeClaim } from "../objects/PersistentVolume.ts"
import { CSINode, VolumeAttachment } from "../objects/Storage.ts"
import { CSIDriver, CSIStorageCapacity, StorageClass, VolumeAttributesClass } from "../objects/StorageClass.ts"
import * as volumes from "../validation/persistentVolume.ts"
import { persistentVolumeClaimRules } from "../validation/persistentVolumeClaim.ts"
import * as storage from "../validation/storage.ts"
import * as classes from "../validation/storageClass.ts"
import * as warnings from "../warnings/storage.ts"
import { kind } from "./Kind.ts"

/** Upstream: volumes of pkg/apis/core, pkg/apis/storage. */

export const persistentVolumes = kind<PersistentVolume>(PersistentVolume, {
  scope: "Cluster",
  shortNames: ["pv"],
  defaults: defaults.defaultPersistentVolume,
  validation: {
    create: volumes.validatePersistentVolume,
    update: volumes.validatePersistentVolumeUpdate,
    updateStatus: volumes.validatePersistentVolumeStatusUpdate
  },
  warnings: warnings.volumeObjectWarnings
})

export const persistentVolumeClaims = kind<PersistentVolumeClaim>(PersistentVolumeClaim, {
  shortNames: ["pvc"],
  defaults: defaults.defaultPersistentVolumeClaim,
  validation: persistentVolumeClaimRules,
  warnings: warnings.claimWarnings
})

export const volumeAttachments = kind<VolumeAttachment>(VolumeAttachment, {
  scope: "Cluster",
  defaults: defaults.defaultVolumeAttachment,
  validation: {
    create: storage.validateVolumeAttachment,
    update: storage.validateVolumeAttachmentUpdate,
    updateStatus: storage.validateVolumeAttachmentUpdate
  }
})

export const csiNodes = kind<CSINode>(CSINode, {
  scope: "Cluster",
  validation: { create: storage.validateCSINode, update: storage.validateCSINodeUpdate }
})

export const storageClasses = kind<StorageClass>(StorageClass, {
  scope: "Cluster",
  shortNames: ["sc"],
  defaults: defaults.defaultStorageClass,
  validation: classes.storageClassRules,
  warnings: warnings.storageClassWarnings
})

export const csiDrivers = kind<CSIDriver>(CSIDriver, {
  scope: "Cluster",
  defaults: defaults.defaultCSIDriver,
  validation: classes.csiDriverRules,
  warnings: warnings.driverWarnings
})

export const csiStorageCapacities = kind<CSIStorageCapacity>(CSIStorageCapacity, {
  validation: classes.csiStorageCapacityRules,
  warnings: warnings.capacityWarnings
})

export const volumeAttributesClasses = kind<VolumeAttributesClass>(VolumeAttributesClass, {
  scope: "Cluster",
  shortNames: ["vac"],
  validation: classes.volumeAttributesClassRules
})
