import type * as Context from "effect/Context"
import * as Metric from "effect/Metric"
import type { QueuePlace } from "./queue/QueuedPod.ts"

/** Is told what the scheduler does, to publish it as metrics. `profile` is a schedulerName. Upstream: pkg/scheduler/metrics/metrics.go. */
export interface SchedulerMeter {
  /** A node was sought for a pod, for this long. */
  readonly decided: (seconds: number) => void
  /** An attempt has ended: a pod is bound, is unschedulable, or an error occurred. */
  readonly attempted: (result: "scheduled" | "unschedulable" | "error", seconds: number, profile: string) => void
  /**
   * A pod is bound, after this number of attempts and this many seconds in the queue. `overdue` says that it was requeued
   * because it was unschedulable for too long, not because of an event.
   */
  readonly scheduled: (attempts: number, seconds: number, overdue: boolean) => void
  /** Preemption was attempted. */
  readonly preemptionTried: () => void
  /** A preemption selected this many victims. */
  readonly preempted: (victims: number) => void
  /** A pod entered this part of the queue because of this event. */
  readonly queued: (place: QueuePlace, event: string) => void
  /** This part of the queue now contains `count` pods; `gated` pods have scheduling gates. */
  readonly pending: (place: QueuePlace | "gated", count: number) => void
  /** The number of pods that are unschedulable because of a plugin changed. */
  readonly unschedulable: (plugin: string, change: 1 | -1, profile: string) => void
  /** The numbers of nodes, pods and assumed pods in the cache, after a cycle. */
  readonly cached: (nodes: number, pods: number, assumed: number) => void
}

const ignore = () => undefined

/** Publishes nothing. */
export const noMeter: SchedulerMeter = {
  decided: ignore,
  attempted: ignore,
  scheduled: ignore,
  preemptionTried: ignore,
  preempted: ignore,
  queued: ignore,
  pending: ignore,
  unschedulable: ignore,
  cached: ignore
}

/** Bucket boundaries, each twice the one before. */
const exponential = (start: number, count: number): ReadonlyArray<number> =>
  Array.from({ length: count }, (_, index) => start * 2 ** index)

/**
 * The labels of a series. Each series is a metric of its own, which keeps its key in the registry: a metric that
 * `Metric.withAttributes` shares between series makes it anew whenever they alternate.
 */
type Labels = Readonly<Record<string, string>>

const attempts = (attributes: Labels) =>
  Metric.counter("scheduler_schedule_attempts_total", {
    description: "[STABLE] Number of attempts to schedule pods, by the result.",
    incremental: true,
    attributes
  })
const attemptSeconds = (attributes: Labels) =>
  Metric.histogram("scheduler_scheduling_attempt_duration_seconds", {
    description: "[STABLE] Scheduling attempt latency in seconds (scheduling algorithm + binding)",
    boundaries: exponential(0.001, 15),
    attributes
  })
const algorithmSeconds = Metric.histogram("scheduler_scheduling_algorithm_duration_seconds", {
  description: "[ALPHA] How long a node was sought for a pod, in seconds.",
  boundaries: exponential(0.001, 15)
})
const podAttempts = Metric.histogram("scheduler_pod_scheduling_attempts", {
  description: "[STABLE] Number of attempts to successfully schedule a pod.",
  boundaries: exponential(1, 5)
})
const podSeconds = (attributes: Labels) =>
  Metric.histogram("scheduler_pod_scheduling_sli_duration_seconds", {
    description: "[BETA] E2e latency for a pod being scheduled, from the time it enters the scheduling queue.",
    boundaries: exponential(0.01, 20),
    attributes
  })
const afterFlush = Metric.counter("scheduler_pod_scheduled_after_flush_total", {
  description:
    "[ALPHA] Number of pods that were scheduled after they had been flushed from the unschedulable pods due to timeout.",
  incremental: true
})
const preemptions = Metric.counter("scheduler_preemption_attempts_total", {
  description: "[STABLE] Total preemption attempts in the cluster till now",
  incremental: true
})
const victims = Metric.histogram("scheduler_preemption_victims", {
  description: "[STABLE] Number of selected preemption victims",
  boundaries: exponential(1, 7)
})
const incoming = (attributes: Labels) =>
  Metric.counter("scheduler_queue_incoming_pods_total", {
    description: "[STABLE] Number of pods added to scheduling queues by event and queue type.",
    incremental: true,
    attributes
  })
const pendingPods = (attributes: Labels) =>
  Metric.gauge("scheduler_pending_pods", {
    description: "[STABLE] Number of pending pods, by the queue type.",
    attributes
  })
const unschedulablePods = (attributes: Labels) =>
  Metric.gauge("scheduler_unschedulable_pods", {
    description: "[BETA] The number of unschedulable pods broken down by plugin name.",
    attributes
  })
const cacheSize = (attributes: Labels) =>
  Metric.gauge("scheduler_cache_size", {
    description: "[ALPHA] Number of nodes, pods, and assumed (bound) pods in the scheduler cache.",
    attributes
  })

/** Higher numbers of attempts share one label. Upstream: schedule_one.go getAttemptsLabel. */
const MAX_LABELLED_ATTEMPTS = 15
const attemptsLabel = (count: number): string =>
  count >= MAX_LABELLED_ATTEMPTS ? `${MAX_LABELLED_ATTEMPTS}+` : String(count)

/** Caches the results of a function by its argument. */
const memoize = <A>(make: (key: string) => A): ((key: string) => A) => {
  const known = new Map<string, A>()
  return (key) => {
    const found = known.get(key)
    if (found !== undefined) return found
    const made = make(key)
    known.set(key, made)
    return made
  }
}

/** The labels for a key `value/profile`. */
const labelsOf = (name: "result" | "plugin", key: string): Labels => {
  const at = key.indexOf("/")
  return { [name]: key.slice(0, at), profile: key.slice(at + 1) }
}

/** A meter that publishes kube-scheduler's metrics to the registry in the context. */
export const schedulerMeter = (context: Context.Context<never>): SchedulerMeter => {
  const attemptsBy = memoize((key) => attempts(labelsOf("result", key)))
  const secondsBy = memoize((key) => attemptSeconds(labelsOf("result", key)))
  const podSecondsBy = memoize((label) => podSeconds({ attempts: label }))
  const incomingBy = memoize((key) => {
    const [queue = "", event = ""] = key.split("/")
    return incoming({ queue, event })
  })
  const pendingBy = memoize((queue) => pendingPods({ queue }))
  const unschedulableBy = memoize((key) => unschedulablePods(labelsOf("plugin", key)))
  const unschedulableCounts = new Map<string, number>()
  const sizeBy = memoize((type) => cacheSize({ type }))
  return {
    decided: (seconds) => algorithmSeconds.updateUnsafe(seconds, context),
    attempted: (result, seconds, profile) => {
      const key = `${result}/${profile}`
      attemptsBy(key).updateUnsafe(1, context)
      secondsBy(key).updateUnsafe(seconds, context)
    },
    scheduled: (count, seconds, overdue) => {
      if (overdue) afterFlush.updateUnsafe(1, context)
      podAttempts.updateUnsafe(count, context)
      podSecondsBy(attemptsLabel(count)).updateUnsafe(seconds, context)
    },
    preemptionTried: () => preemptions.updateUnsafe(1, context),
    preempted: (count) => victims.updateUnsafe(count, context),
    queued: (place, event) => incomingBy(`${place}/${event}`).updateUnsafe(1, context),
    pending: (place, count) => pendingBy(place).updateUnsafe(count, context),
    unschedulable: (plugin, change, profile) => {
      const key = `${plugin}/${profile}`
      const count = (unschedulableCounts.get(key) ?? 0) + change
      unschedulableCounts.set(key, count)
      unschedulableBy(key).updateUnsafe(count, context)
    },
    cached: (nodes, pods, assumed) => {
      sizeBy("nodes").updateUnsafe(nodes, context)
      sizeBy("pods").updateUnsafe(pods, context)
      sizeBy("assumed_pods").updateUnsafe(assumed, context)
    }
  }
}
