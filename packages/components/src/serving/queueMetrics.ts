import type { QueueMeter, WorkQueueHooks } from "@rollcall/cluster"
import { exponentialBuckets } from "@rollcall/time"
import type * as Context from "effect/Context"
import * as Metric from "effect/Metric"

/** The boundaries of the histograms in seconds: from ten nanoseconds on, each ten times the one before. */
const boundaries = [...exponentialBuckets(1e-8, 10, 10)]

const depth = Metric.gauge("workqueue_depth", { description: "[BETA] Current depth of workqueue" })
const adds = Metric.counter("workqueue_adds_total", {
  description: "[BETA] Total number of adds handled by workqueue",
  incremental: true
})
const latency = Metric.histogram("workqueue_queue_duration_seconds", {
  description: "[BETA] How long in seconds an item stays in workqueue before being requested.",
  boundaries
})
const workDuration = Metric.histogram("workqueue_work_duration_seconds", {
  description: "[BETA] How long in seconds processing an item from workqueue takes.",
  boundaries
})
const unfinished = Metric.gauge("workqueue_unfinished_work_seconds", {
  description:
    "[BETA] How many seconds of work has done that is in progress and hasn't been observed by work_duration. Large values indicate stuck threads. One can deduce the number of stuck threads by observing the rate at which this increases."
})
const longest = Metric.gauge("workqueue_longest_running_processor_seconds", {
  description: "[BETA] How many seconds has the longest running processor for workqueue been running."
})
const retries = Metric.counter("workqueue_retries_total", {
  description: "[BETA] Total number of retries handled by workqueue",
  incremental: true
})

type FollowedQueue = Parameters<QueueMeter["follow"]>[1]

/**
 * The metrics of named queues: counters are updated by events; the items in progress are read when the metrics are, by
 * `collect`. Upstream: staging/src/k8s.io/component-base/metrics/prometheus/workqueue/metrics.go.
 */
export const makeQueueMeter = (
  context: Context.Context<never>,
  now: () => number
): QueueMeter & { readonly collect: () => void } => {
  const queues = new Map<string, FollowedQueue>()
  const hooks = (name: string): WorkQueueHooks => {
    const label = Metric.withAttributes({ name })
    const [queueDepth, queueAdds, queueRetries] = [depth.pipe(label), adds.pipe(label), retries.pipe(label)]
    const [queueLatency, queueWork] = [latency.pipe(label), workDuration.pipe(label)]
    queueDepth.updateUnsafe(0, context)
    queueAdds.updateUnsafe(0, context)
    queueRetries.updateUnsafe(0, context)
    return {
      depth: (items) => queueDepth.updateUnsafe(items, context),
      add: () => queueAdds.updateUnsafe(1, context),
      queued: (ms) => queueLatency.updateUnsafe(ms / 1000, context),
      worked: (ms) => queueWork.updateUnsafe(ms / 1000, context),
      retry: () => queueRetries.updateUnsafe(1, context)
    }
  }
  const collect = () => {
    for (const [name, queue] of queues) {
      const label = Metric.withAttributes({ name })
      let totalSeconds = 0
      let longestSeconds = 0
      for (const startedMs of queue.startTimes()) {
        const seconds = (now() - startedMs) / 1000
        totalSeconds += seconds
        longestSeconds = Math.max(longestSeconds, seconds)
      }
      unfinished.pipe(label).updateUnsafe(totalSeconds, context)
      longest.pipe(label).updateUnsafe(longestSeconds, context)
    }
  }
  return { hooks, follow: (name, queue) => void queues.set(name, queue), collect }
}
