import { formatDuration } from "@rollcall/api"
import type { ShutdownConfig } from "./ShutdownConfig.ts"

const SECOND_MS = 1000

const isBroken = (ms: number): boolean => ms < 0 || (ms > 0 && ms < SECOND_MS)

/**
 * The errors with which a kubelet refuses to start, in its words and order; empty when the configuration is valid. The
 * order, duplicates and negative seconds of the list are not validated.
 * Upstream: pkg/kubelet/apis/config/validation/validation.go.
 */
export const validateShutdownConfig = (config: ShutdownConfig): ReadonlyArray<string> => {
  const { featureGates, shutdownGracePeriodByPodPriority: list } = config
  const totalMs = config.shutdownGracePeriodMs
  const criticalMs = config.shutdownGracePeriodCriticalPodsMs
  const total = `shutdownGracePeriod {${formatDuration(totalMs)}}`
  const critical = `shutdownGracePeriodCriticalPods {${formatDuration(criticalMs)}}`
  const anyPlain = totalMs > 0 || criticalMs > 0
  const errors: Array<string> = []
  if (featureGates.GracefulNodeShutdown) {
    if (criticalMs > totalMs) errors.push(`${critical} must be <= ${total}`)
    if (isBroken(totalMs)) errors.push(`${total} must be either zero or otherwise >= 1 sec`)
    if (isBroken(criticalMs)) errors.push(`${critical} must be either zero or otherwise >= 1 sec`)
  } else if (anyPlain) {
    errors.push(
      "specifying shutdownGracePeriod or shutdownGracePeriodCriticalPods requires feature gate GracefulNodeShutdown"
    )
  }
  if (featureGates.GracefulNodeShutdownBasedOnPodPriority) {
    if (list.length > 0 && anyPlain) {
      errors.push("Cannot specify both shutdownGracePeriodByPodPriority and shutdownGracePeriod at the same time")
    }
  } else if (list.length > 0) {
    errors.push(
      "Specifying shutdownGracePeriodByPodPriority requires feature gate GracefulNodeShutdownBasedOnPodPriority"
    )
  }
  return errors.map((error) => `invalid configuration: ${error}`)
}
