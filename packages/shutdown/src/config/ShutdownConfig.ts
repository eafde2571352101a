import type { FeatureGates } from "@rollcall/api"

/** Pods of this priority and up, below the next bucket's priority, get these seconds to terminate. */
export interface ShutdownBucket {
  readonly priority: number
  readonly shutdownGracePeriodSeconds: number
}

export type ShutdownGates = Pick<FeatureGates, "GracefulNodeShutdown" | "GracefulNodeShutdownBasedOnPodPriority">

/**
 * The settings of a KubeletConfiguration that govern a node's shutdown. Durations are milliseconds, exact to the
 * nanosecond.
 */
export interface ShutdownConfig {
  readonly shutdownGracePeriodMs: number
  readonly shutdownGracePeriodCriticalPodsMs: number
  readonly shutdownGracePeriodByPodPriority: ReadonlyArray<ShutdownBucket>
  readonly featureGates: ShutdownGates
}
