import type { KubeletConfiguration } from "./fields.ts"
import type { GateSettings } from "./gates.ts"
import { goQuote } from "./goQuote.ts"
import { type AddError, durationMs } from "./validation.ts"

// Most fields in this file have no effect here, but a configuration that kubelet rejects must be rejected.

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
