// The controllers of volumes and claims.

export { layerAttachDetach } from "./attach/AttachDetachController.ts"
export { type DetachSettings, defaultDetachSettings } from "./attach/ForceDetach.ts"
export { type AttachableVolume, attachableOf } from "./attach/volumeNames.ts"
export { type BinderSettings, defaultBinderSettings, layerVolumeBinder } from "./binder/layer.ts"
export { type EphemeralVolume, ephemeralClaims } from "./ephemeral/ephemeralClaims.ts"
export { layerEphemeralVolumes } from "./ephemeral/layer.ts"
export { layerVolumeExpander } from "./expand/layer.ts"
export { claimsOfPod } from "./pods/claimsOfPod.ts"
export { layerAttributesProtection } from "./protection/layerAttributesProtection.ts"
export { layerClaimProtection } from "./protection/layerClaimProtection.ts"
export { layerVolumeProtection } from "./protection/layerVolumeProtection.ts"

// The modelled storage driver.

export { type DriverOptions, layerModelledDriver, modelledDriver } from "./driver/layerDriver.ts"
export { newVolume } from "./driver/newVolume.ts"
export type { Serves } from "./driver/provisionerPlan.ts"
export { standardClass } from "./driver/standardClass.ts"

// What happens to volumes.

export { CurrentVolumeObserver, type VolumeObserver } from "./Observer.ts"
