import { systemCriticalPriority } from "@rollcall/api"
import type { ShutdownBucket, ShutdownConfig } from "./ShutdownConfig.ts"

const NANOS = 1e9
const nanosOf = (ms: number): number => Math.round(ms * 1e6)

/** Whole seconds of a duration that is not negative. */
const seconds = (nanos: number): number => Math.trunc(nanos / NANOS)

/**
 * The two plain settings as buckets, each cut to whole seconds separately; empty when the total is 0 or less than the
 * share of critical pods. Upstream: pkg/kubelet/nodeshutdown/nodeshutdown_manager.go migrateConfig.
 */
export const migrateConfig = (totalMs: number, criticalMs: number): ReadonlyArray<ShutdownBucket> => {
  const total = nanosOf(totalMs)
  if (total === 0) return []
  const normal = total - nanosOf(criticalMs)
  const critical = total - normal
  if (normal < 0 || critical < 0) return []
  return [
    { priority: 0, shutdownGracePeriodSeconds: seconds(normal) },
    { priority: systemCriticalPriority, shutdownGracePeriodSeconds: seconds(critical) }
  ]
}

/**
 * The buckets that a kubelet works with, by ascending priority; empty: it does not handle shutdowns. Buckets with the
 * same priority keep the order of the configuration. Upstream: newPodManager, NewManager.
 */
export const shutdownBuckets = (config: ShutdownConfig): ReadonlyArray<ShutdownBucket> => {
  const { featureGates, shutdownGracePeriodByPodPriority: list } = config
  if (!featureGates.GracefulNodeShutdown) return []
  return featureGates.GracefulNodeShutdownBasedOnPodPriority && list.length > 0
    ? list.toSorted((left, right) => left.priority - right.priority)
    : migrateConfig(config.shutdownGracePeriodMs, config.shutdownGracePeriodCriticalPodsMs)
}

/** Seconds of all buckets together: the delay requested from logind. Upstream: periodRequested. */
export const delayRequested = (buckets: ReadonlyArray<ShutdownBucket>): number =>
  buckets.reduce((sum, bucket) => sum + bucket.shutdownGracePeriodSeconds, 0)
