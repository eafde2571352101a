import { systemCriticalPriority } from "@rollcall/api/rules"
import type { ShutdownBucket, ShutdownConfig } from "./ShutdownConfig.ts"

const NANOS_PER_SECOND = 1e9
const nanosOf = (ms: number): number => Math.round(ms * 1e6)

/** Returns the whole seconds of a duration that is not negative. */
const wholeSeconds = (nanos: number): number => Math.trunc(nanos / NANOS_PER_SECOND)

/**
 * Returns the settings for all pods and for critical pods as two buckets, each of whole seconds; empty if the total is
 * 0 or less than the share of critical pods. Upstream: pkg/kubelet/nodeshutdown/nodeshutdown_manager.go migrateConfig.
 */
export const migrateConfig = (totalMs: number, criticalMs: number): ReadonlyArray<ShutdownBucket> => {
  const total = nanosOf(totalMs)
  if (total === 0) return []
  const normal = total - nanosOf(criticalMs)
  const critical = total - normal
  if (normal < 0 || critical < 0) return []
  return [
    { priority: 0, shutdownGracePeriodSeconds: wholeSeconds(normal) },
    { priority: systemCriticalPriority, shutdownGracePeriodSeconds: wholeSeconds(critical) }
  ]
}

/**
 * Returns the buckets that a kubelet uses, by ascending priority; empty if it does not handle shutdowns. Buckets with
 * the same priority keep the order of the configuration. Upstream: newPodManager, NewManager.
 */
export const shutdownBuckets = (config: ShutdownConfig): ReadonlyArray<ShutdownBucket> => {
  const { featureGates, shutdownGracePeriodByPodPriority: list } = config
  if (!featureGates.GracefulNodeShutdown) return []
  return featureGates.GracefulNodeShutdownBasedOnPodPriority && list.length > 0
    ? list.toSorted((left, right) => left.priority - right.priority)
    : migrateConfig(config.shutdownGracePeriodMs, config.shutdownGracePeriodCriticalPodsMs)
}

/** Returns the seconds of all buckets together: the delay that is requested from logind. Upstream: periodRequested. */
export const delayRequested = (buckets: ReadonlyArray<ShutdownBucket>): number =>
  buckets.reduce((sum, bucket) => sum + bucket.shutdownGracePeriodSeconds, 0)
