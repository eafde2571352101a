import { parseDuration } from "@rollcall/api"
import type { KubeletConfiguration } from "./fields.ts"

/** How a kubelet pulls images, who may use them, and when they are removed. */
export interface ImageSettings {
  /** Whether one image is pulled at a time; otherwise up to `maxParallelImagePulls`, or any number. */
  readonly serializeImagePulls: boolean
  readonly maxParallelImagePulls: number | undefined
  /** The pulls per second that start, and how many at once; with 0 per second there is no limit. */
  readonly registryPullQPS: number
  readonly registryBurst: number
  /** Whose images on the node need credentials, where KubeletEnsureSecretPulledImages is on. */
  readonly imagePullCredentialsVerificationPolicy: string
  readonly preloadedImagesVerificationAllowlist: ReadonlyArray<string>
  /** From which use of the disk on images are removed, and down to which. 100 switches this off. */
  readonly imageGCHighThresholdPercent: number
  readonly imageGCLowThresholdPercent: number
  /** How long an image stays at least. */
  readonly imageMinimumGCAgeMs: number
  /** After how long without use an image is removed, whatever the disk has; 0 means never. */
  readonly imageMaximumGCAgeMs: number
}

export const imageDefaults: ImageSettings = {
  serializeImagePulls: true,
  maxParallelImagePulls: undefined,
  registryPullQPS: 5,
  registryBurst: 10,
  imagePullCredentialsVerificationPolicy: "NeverVerifyPreloadedImages",
  preloadedImagesVerificationAllowlist: [],
  imageGCHighThresholdPercent: 85,
  imageGCLowThresholdPercent: 80,
  imageMinimumGCAgeMs: 120_000,
  imageMaximumGCAgeMs: 0
}

const durationMs = (text: string | undefined, otherwise: number): number =>
  text === undefined ? otherwise : parseDuration(text)

/** Returns the settings of a valid configuration in which defaults have been filled in. */
export const imageSettingsOf = (given: KubeletConfiguration): ImageSettings => ({
  serializeImagePulls: given.serializeImagePulls ?? imageDefaults.serializeImagePulls,
  maxParallelImagePulls: given.maxParallelImagePulls,
  registryPullQPS: given.registryPullQPS ?? imageDefaults.registryPullQPS,
  registryBurst: given.registryBurst ?? imageDefaults.registryBurst,
  imagePullCredentialsVerificationPolicy:
    given.imagePullCredentialsVerificationPolicy ?? imageDefaults.imagePullCredentialsVerificationPolicy,
  preloadedImagesVerificationAllowlist:
    given.preloadedImagesVerificationAllowlist ?? imageDefaults.preloadedImagesVerificationAllowlist,
  imageGCHighThresholdPercent: given.imageGCHighThresholdPercent ?? imageDefaults.imageGCHighThresholdPercent,
  imageGCLowThresholdPercent: given.imageGCLowThresholdPercent ?? imageDefaults.imageGCLowThresholdPercent,
  imageMinimumGCAgeMs: durationMs(given.imageMinimumGCAge, imageDefaults.imageMinimumGCAgeMs),
  imageMaximumGCAgeMs: durationMs(given.imageMaximumGCAge, imageDefaults.imageMaximumGCAgeMs)
})
