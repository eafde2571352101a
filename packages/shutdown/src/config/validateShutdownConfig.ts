import { formatDuration } from "@rollcall/api/rules"
import type { ShutdownConfig } from "./ShutdownConfig.ts"

const SECOND_MS = 1000

const isInvalidPeriod = (ms: number): boolean => ms < 0 || (ms > 0 && ms < SECOND_MS)

/**
 * Returns the errors with which a kubelet refuses to start, with its texts and in its order; empty if the configuration
 * is valid. The order, duplicates and negative seconds of the list are not validated. Upstream:
 * pkg/kubelet/apis/config/validation/validation.go.
 */
export const validateShutdownConfig = (config: ShutdownConfig): ReadonlyArray<string> => {
  const { featureGates, shutdownGracePeriodByPodPriority: list } = config
  const totalMs = config.shutdownGracePeriodMs
  const criticalMs = config.shutdownGracePeriodCriticalPodsMs
  const total = `shutdownGracePeriod {${formatDuration(totalMs)}}`
  const critical = `shutdownGracePeriodCriticalPods {${formatDuration(criticalMs)}}`
  const isTotalOrCriticalSet = totalMs > 0 || criticalMs > 0
  const errors: Array<string> = []
  if (featureGates.GracefulNodeShutdown) {
    if (criticalMs > totalMs) errors.push(`${critical} must be <= ${total}`)
    if (isInvalidPeriod(totalMs)) errors.push(`${total} must be either zero or otherwise >= 1 sec`)
    if (isInvalidPeriod(criticalMs)) errors.push(`${critical} must be either zero or otherwise >= 1 sec`)
  } else if (isTotalOrCriticalSet) {
    errors.push(
      "specifying shutdownGracePeriod or shutdownGracePeriodCriticalPods requires feature gate GracefulNodeShutdown"
    )
  }
  if (featureGates.GracefulNodeShutdownBasedOnPodPriority) {
    if (list.length > 0 && isTotalOrCriticalSet) {
      errors.push("Cannot specify both shutdownGracePeriodByPodPriority and shutdownGracePeriod at the same time")
    }
  } else if (list.length > 0) {
    errors.push(
      "Specifying shutdownGracePeriodByPodPriority requires feature gate GracefulNodeShutdownBasedOnPodPriority"
    )
  }
  return errors.map((error) => `invalid configuration: ${error}`)
}
