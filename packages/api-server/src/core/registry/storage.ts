import type { CSIDriver, PersistentVolume } from "@rollcall/api"

/** A new volume is pending since its creation. Upstream: pkg/registry/core/persistentvolume/strategy.go. */
export const pendingVolume = (volume: PersistentVolume): PersistentVolume => {
  const { creationTimestamp } = volume.metadata
  const since = creationTimestamp === undefined ? {} : { lastPhaseTransitionTime: creationTimestamp }
  return { ...volume, status: { phase: "Pending", ...since } }
}

/** Leaves out the field of the feature gate VolumeLimitScaling, which is off. Upstream: pkg/registry/storage/csidriver. */
export const withoutScaling = (driver: CSIDriver, stored?: CSIDriver): CSIDriver => {
  const { preventPodSchedulingIfMissing, ...spec } = driver.spec
  return preventPodSchedulingIfMissing === undefined || stored?.spec.preventPodSchedulingIfMissing !== undefined
    ? driver
    : { ...driver, spec }
}
