/** The pods from this priority on, and below the next bucket's, get these seconds to terminate. */
export interface ShutdownBucket {
  readonly priority: number
  readonly shutdownGracePeriodSeconds: number
}

/** The feature gates of graceful shutdown. */
export interface ShutdownGates {
  readonly GracefulNodeShutdown: boolean
  readonly GracefulNodeShutdownBasedOnPodPriority: boolean
}

/**
 * The settings of a KubeletConfiguration for a node's shutdown. Durations are in milliseconds; fractions count, down to
 * nanoseconds.
 */
export interface ShutdownConfig {
  readonly shutdownGracePeriodMs: number
  readonly shutdownGracePeriodCriticalPodsMs: number
  readonly shutdownGracePeriodByPodPriority: ReadonlyArray<ShutdownBucket>
  readonly featureGates: ShutdownGates
}
