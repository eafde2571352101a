import type { FeatureGates } from "@rollcall/api"

/** Pods of this priority and up, to the next entry's, have these seconds to end. */
export interface ShutdownBucket {
  readonly priority: number
  readonly shutdownGracePeriodSeconds: number
}

export type ShutdownGates = Pick<FeatureGates, "GracefulNodeShutdown" | "GracefulNodeShutdownBasedOnPodPriority">

/** What of a KubeletConfiguration decides about a node's shutdown. Durations are milliseconds, exact to the nanosecond. */
export interface ShutdownConfig {
  readonly shutdownGracePeriodMs: number
  readonly shutdownGracePeriodCriticalPodsMs: number
  readonly shutdownGracePeriodByPodPriority: ReadonlyArray<ShutdownBucket>
  readonly featureGates: ShutdownGates
}
