import type { KubeletConfiguration } from "./fields.ts"
import type { GateSettings } from "./gates.ts"
import { goQuote } from "./goQuote.ts"
import { type AddError, durationMs, goDuration, inRange } from "./validation.ts"

/**
 * Validates image garbage collection. The fields in this file have no effect here, but a configuration that kubelet
 * rejects must be rejected.
 */
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

const PULL_POLICIES: ReadonlyArray<string> = [
  "NeverVerify",
  "NeverVerifyPreloadedImages",
  "NeverVerifyAllowlistedImages",
  "AlwaysVerify"
]

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
  if (policy !== "" && !PULL_POLICIES.includes(policy)) {
    addError(
      `option ${goQuote(policy)} specified for imagePullCredentialsVerificationPolicy. Valid options are "NeverVerify", "NeverVerifyPreloadedImages", "NeverVerifyAllowlistedImages" or "AlwaysVerify"`
    )
  }
  if (list.length > 0 && policy !== "NeverVerifyAllowlistedImages") {
    addError(
      'can\'t set `preloadedImagesVerificationAllowlist` if `imagePullCredentialsVertificationPolicy` is not "NeverVerifyAllowlistedImages"'
    )
  }
}

export const validateLogFiles = (config: KubeletConfiguration, gates: GateSettings, addError: AddError): void => {
  const { containerLogMaxFiles = 0, containerLogMaxWorkers = 0, containerLogMonitorInterval } = config
  const { enableSystemLogHandler = true, enableSystemLogQuery = false, podLogsDir = "" } = config
  if (enableSystemLogQuery && !gates.isOn("NodeLogQuery")) {
    addError("NodeLogQuery feature gate is required for enableSystemLogQuery")
  }
  if (enableSystemLogQuery && !enableSystemLogHandler) {
    addError("enableSystemLogHandler is required for enableSystemLogQuery")
  }
  if (containerLogMaxWorkers < 1) addError("containerLogMaxWorkers must be greater than or equal to 1")
  if (durationMs(containerLogMonitorInterval) < 3000) {
    addError("containerLogMonitorInterval must be a positive time duration greater than or equal to 3s")
  }
  if (containerLogMaxFiles <= 1) addError("containerLogMaxFiles must be greater than 1")
  if (!podLogsDir.startsWith("/")) addError(`pod logs path ${goQuote(podLogsDir)} must be absolute path`)
  if (!isNormalized(podLogsDir)) addError(`pod logs path ${goQuote(podLogsDir)} must be normalized`)
  if (/[^\0-\x7f]/.test(podLogsDir)) {
    addError(`pod logs path ${goQuote(podLogsDir)} mut contain ASCII characters only`)
  }
}

/** Whether a path has no `//`, no segment `.` or `..`, and no slash at its end. */
const isNormalized = (path: string): boolean =>
  path === "/" || path.split("/").every((part, index) => (part === "" ? index === 0 : part !== "." && part !== ".."))

export const validateMemoryQoS = (config: KubeletConfiguration, gates: GateSettings, addError: AddError): void => {
  const { memoryReservationPolicy: policy = "None", memoryThrottlingFactor: factor } = config
  if (gates.isOn("MemoryQoS") && factor === undefined) {
    addError("memoryThrottlingFactor is required when MemoryQoS feature flag is enabled")
  }
  if (factor !== undefined && (factor <= 0 || factor > 1)) {
    addError(`memoryThrottlingFactor ${factor} must be greater than 0 and less than or equal to 1.0`)
  }
  if (!gates.isOn("MemoryQoS") && policy === "TieredReservation") {
    addError('memoryReservationPolicy "TieredReservation" requires MemoryQoS feature gate to be enabled')
  }
  if (policy !== "None" && policy !== "TieredReservation") {
    addError(
      `option ${goQuote(policy)} specified for memoryReservationPolicy. Valid options are "None" or "TieredReservation"`
    )
  }
}
