import { allowListProblem, isVerificationPolicy } from "../images/verificationPolicy.ts"
import type { KubeletConfiguration } from "./fields.ts"
import type { GateSettings } from "./gates.ts"
import { goQuote } from "./goQuote.ts"
import { type AddError, durationMs, goDuration, inRange } from "./validation.ts"

/** Validates image garbage collection. */
export const validateImages = (config: KubeletConfiguration, gates: GateSettings, addError: AddError): void => {
  const { imageGCHighThresholdPercent: high = 0, imageGCLowThresholdPercent: low = 0 } = config
  const { draManagerReconcilePeriod, imageMaximumGCAge, imageMinimumGCAge } = config
  const highName = "imageGCHighThresholdPercent (--image-gc-high-threshold)"
  const lowName = "imageGCLowThresholdPercent (--image-gc-low-threshold)"
  if (!inRange(high, 0, 100)) addError(`${highName} ${high} must be between 0 and 100, inclusive`)
  if (!inRange(low, 0, 100)) addError(`${lowName} ${low} must be between 0 and 100, inclusive`)
  if (low >= high) addError(`${lowName} ${low} must be less than ${highName} ${high}`)
  const maximumAgeMs = durationMs(imageMaximumGCAge)
  const minimumAgeMs = durationMs(imageMinimumGCAge)
  if (maximumAgeMs !== 0 && !gates.isOn("ImageMaximumGCAge")) {
    addError("ImageMaximumGCAge feature gate is required for Kubelet configuration option imageMaximumGCAge")
  }
  if (minimumAgeMs < 0) addError(`imageMinimumGCAge ${goDuration(imageMinimumGCAge)} must not be negative`)
  if (maximumAgeMs < 0) addError(`imageMaximumGCAge ${goDuration(imageMaximumGCAge)} must not be negative`)
  if (maximumAgeMs > 0 && maximumAgeMs <= minimumAgeMs) {
    addError(
      `imageMaximumGCAge ${goDuration(imageMaximumGCAge)} must be greater than imageMinimumGCAge ${goDuration(imageMinimumGCAge)}`
    )
  }
  if (draManagerReconcilePeriod !== undefined && durationMs(draManagerReconcilePeriod) <= 0) {
    addError(`draManagerReconcilePeriod ${goDuration(draManagerReconcilePeriod)} must be greater than zero`)
  }
}

export const validateImagePulls = (config: KubeletConfiguration, gates: GateSettings, addError: AddError): void => {
  const { maxParallelImagePulls: maxPulls, runOnce = false, serverTLSBootstrap = false } = config
  const { serializeImagePulls = maxPulls === undefined || maxPulls < 2 } = config
  if (maxPulls !== undefined && maxPulls < 1) addError(`maxParallelImagePulls ${maxPulls} must be a positive number`)
  if (serializeImagePulls && maxPulls !== undefined && maxPulls > 1) {
    addError(
      "maxParallelImagePulls cannot be larger than 1 unless SerializeImagePulls (--serialize-image-pulls) is set to false"
    )
  }
  if (serverTLSBootstrap && !gates.isOn("RotateKubeletServerCertificate")) {
    addError("serverTLSBootstrap true requires feature gate RotateKubeletServerCertificate")
  }
  if (runOnce) addError("runOnce (--runOnce) true, Runonce mode has been deprecated and should not be set")
}

export const validatePullPolicy = (config: KubeletConfiguration, gates: GateSettings, addError: AddError): void => {
  const { imagePullCredentialsVerificationPolicy: policy = "", preloadedImagesVerificationAllowlist: list = [] } =
    config
  if (!gates.isOn("KubeletEnsureSecretPulledImages")) {
    const mustNotBeSet = (field: string) =>
      `\`${field}\` must not be set if KubeletEnsureSecretPulledImages feature gate is not enabled`
    if (policy !== "") addError(mustNotBeSet("imagePullCredentialsVerificationPolicy"))
    if (list.length > 0) addError(mustNotBeSet("preloadedImagesVerificationAllowlist"))
    return
  }
  if (policy !== "" && !isVerificationPolicy(policy)) {
    addError(
      `option ${goQuote(policy)} specified for imagePullCredentialsVerificationPolicy. Valid options are "NeverVerify", "NeverVerifyPreloadedImages", "NeverVerifyAllowlistedImages" or "AlwaysVerify"`
    )
  }
  if (list.length > 0 && policy !== "NeverVerifyAllowlistedImages") {
    addError(
      'can\'t set `preloadedImagesVerificationAllowlist` if `imagePullCredentialsVertificationPolicy` is not "NeverVerifyAllowlistedImages"'
    )
    return
  }
  const problem = allowListProblem(list)
  if (problem !== undefined) addError(`invalid image pattern in \`preloadedImagesVerificationAllowlist\`: ${problem}`)
}
