import type { KubeletConfiguration } from "./fields.ts"
import type { GateSettings } from "./gates.ts"
import { quoted } from "./quoted.ts"
import { type Complain, durationMs, goDuration, inRange } from "./validation.ts"

/** Rules for fields that have no effect here: a file that kubelet refuses is refused all the same. */
export const validateImages = (config: KubeletConfiguration, gates: GateSettings, complain: Complain): void => {
  const { imageGCHighThresholdPercent: high = 0, imageGCLowThresholdPercent: low = 0 } = config
  const { draManagerReconcilePeriod, imageMaximumGCAge, imageMinimumGCAge } = config
  const highName = "imageGCHighThresholdPercent (--image-gc-high-threshold)"
  const lowName = "imageGCLowThresholdPercent (--image-gc-low-threshold)"
  if (!inRange(high, 0, 100)) complain(`${highName} ${high} must be between 0 and 100, inclusive`)
  if (!inRange(low, 0, 100)) complain(`${lowName} ${low} must be between 0 and 100, inclusive`)
  if (low >= high) complain(`${lowName} ${low} must be less than ${highName} ${high}`)
  const most = durationMs(imageMaximumGCAge)
  const least = durationMs(imageMinimumGCAge)
  if (most !== 0 && !gates.isOn("ImageMaximumGCAge")) {
    complain("ImageMaximumGCAge feature gate is required for Kubelet configuration option imageMaximumGCAge")
  }
  if (least < 0) complain(`imageMinimumGCAge ${goDuration(imageMinimumGCAge)} must not be negative`)
  if (most < 0) complain(`imageMaximumGCAge ${goDuration(imageMaximumGCAge)} must not be negative`)
  if (most > 0 && most <= least) {
    complain(
      `imageMaximumGCAge ${goDuration(imageMaximumGCAge)} must be greater than imageMinimumGCAge ${goDuration(imageMinimumGCAge)}`
    )
  }
  if (draManagerReconcilePeriod !== undefined && durationMs(draManagerReconcilePeriod) <= 0) {
    complain(`draManagerReconcilePeriod ${goDuration(draManagerReconcilePeriod)} must be greater than zero`)
  }
}

const PULL_POLICIES: ReadonlyArray<string> = [
  "NeverVerify",
  "NeverVerifyPreloadedImages",
  "NeverVerifyAllowlistedImages",
  "AlwaysVerify"
]

export const validatePulls = (config: KubeletConfiguration, gates: GateSettings, complain: Complain): void => {
  const { maxParallelImagePulls: most, runOnce = false, serverTLSBootstrap = false } = config
  const { serializeImagePulls = most === undefined || most < 2 } = config
  if (most !== undefined && most < 1) complain(`maxParallelImagePulls ${most} must be a positive number`)
  if (serializeImagePulls && most !== undefined && most > 1) {
    complain(
      "maxParallelImagePulls cannot be larger than 1 unless SerializeImagePulls (--serialize-image-pulls) is set to false"
    )
  }
  if (serverTLSBootstrap && !gates.isOn("RotateKubeletServerCertificate")) {
    complain("serverTLSBootstrap true requires feature gate RotateKubeletServerCertificate")
  }
  if (runOnce) complain("runOnce (--runOnce) true, Runonce mode has been deprecated and should not be set")
}

export const validatePullPolicy = (config: KubeletConfiguration, gates: GateSettings, complain: Complain): void => {
  const { imagePullCredentialsVerificationPolicy: policy = "", preloadedImagesVerificationAllowlist: list = [] } =
    config
  if (!gates.isOn("KubeletEnsureSecretPulledImages")) {
    const mustNot = (field: string) =>
      `\`${field}\` must not be set if KubeletEnsureSecretPulledImages feature gate is not enabled`
    if (policy !== "") complain(mustNot("imagePullCredentialsVerificationPolicy"))
    if (list.length > 0) complain(mustNot("preloadedImagesVerificationAllowlist"))
    return
  }
  if (policy !== "" && !PULL_POLICIES.includes(policy)) {
    complain(
      `option ${quoted(policy)} specified for imagePullCredentialsVerificationPolicy. Valid options are "NeverVerify", "NeverVerifyPreloadedImages", "NeverVerifyAllowlistedImages" or "AlwaysVerify"`
    )
  }
  if (list.length > 0 && policy !== "NeverVerifyAllowlistedImages") {
    complain(
      'can\'t set `preloadedImagesVerificationAllowlist` if `imagePullCredentialsVertificationPolicy` is not "NeverVerifyAllowlistedImages"'
    )
  }
}

export const validateLogFiles = (config: KubeletConfiguration, gates: GateSettings, complain: Complain): void => {
  const { containerLogMaxFiles = 0, containerLogMaxWorkers = 0, containerLogMonitorInterval } = config
  const { enableSystemLogHandler = true, enableSystemLogQuery = false, podLogsDir = "" } = config
  if (enableSystemLogQuery && !gates.isOn("NodeLogQuery")) {
    complain("NodeLogQuery feature gate is required for enableSystemLogQuery")
  }
  if (enableSystemLogQuery && !enableSystemLogHandler) {
    complain("enableSystemLogHandler is required for enableSystemLogQuery")
  }
  if (containerLogMaxWorkers < 1) complain("containerLogMaxWorkers must be greater than or equal to 1")
  if (durationMs(containerLogMonitorInterval) < 3000) {
    complain("containerLogMonitorInterval must be a positive time duration greater than or equal to 3s")
  }
  if (containerLogMaxFiles <= 1) complain("containerLogMaxFiles must be greater than 1")
  if (!podLogsDir.startsWith("/")) complain(`pod logs path ${quoted(podLogsDir)} must be absolute path`)
  if (!isClean(podLogsDir)) complain(`pod logs path ${quoted(podLogsDir)} must be normalized`)
  if (/[^\0-\x7f]/.test(podLogsDir)) {
    complain(`pod logs path ${quoted(podLogsDir)} mut contain ASCII characters only`)
  }
}

/** No `//`, `.`, `..` or slash at the end. */
const isClean = (path: string): boolean =>
  path === "/" || path.split("/").every((part, index) => (part === "" ? index === 0 : part !== "." && part !== ".."))

export const validateMemoryQoS = (config: KubeletConfiguration, gates: GateSettings, complain: Complain): void => {
  const { memoryReservationPolicy: policy = "None", memoryThrottlingFactor: factor } = config
  if (gates.isOn("MemoryQoS") && factor === undefined) {
    complain("memoryThrottlingFactor is required when MemoryQoS feature flag is enabled")
  }
  if (factor !== undefined && (factor <= 0 || factor > 1)) {
    complain(`memoryThrottlingFactor ${factor} must be greater than 0 and less than or equal to 1.0`)
  }
  if (!gates.isOn("MemoryQoS") && policy === "TieredReservation") {
    complain('memoryReservationPolicy "TieredReservation" requires MemoryQoS feature gate to be enabled')
  }
  if (policy !== "None" && policy !== "TieredReservation") {
    complain(
      `option ${quoted(policy)} specified for memoryReservationPolicy. Valid options are "None" or "TieredReservation"`
    )
  }
}
