import type { PodInfo } from "../cache/CacheRecords.ts"

/** The part of the queue that holds a pod; undefined during its scheduling cycle, and after its removal. */
export type WaitingIn = "active" | "backoff" | "errorBackoff" | "unschedulable" | undefined

/** A part of the queue, as the label `queue` of metrics names it: both kinds of back-off count as `backoff`. */
export type QueuePlace = "active" | "backoff" | "unschedulable"

/**
 * A pod to be scheduled, with the state of its attempts. All times are milliseconds since the Unix epoch. Upstream:
 * pkg/scheduler/framework/types.go QueuedPodInfo.
 */
export interface QueuedPod {
  info: PodInfo
  /** Number of pods that were added before this one; breaks ties in order. */
  readonly sequence: number
  waitingIn: WaitingIn
  /** When it was added, or returned after its last attempt. */
  since: number
  attempts: number
  /** When it was first added. */
  readonly arrivedAt: number
  /** Number of rejections by filters; only reset by leaving the queue. */
  unschedulableCount: number
  /** Number of attempts in a row that ended in an error. */
  consecutiveErrors: number
  /** When its back-off ends, as a multiple of 1000; 0 if none was computed, -Infinity if the back-off is disabled. */
  backoffUntil: number
  /** The plugins that rejected it in its last attempt. */
  plugins: ReadonlyArray<string>
  /** True if it was requeued because it was unschedulable for too long, not because of an event. */
  overdue: boolean
  /** Number of moves so far; entries of a heap with another number are outdated. */
  moves: number
}

/** A pod's entry in a heap, with copies of its ordering keys. It is outdated, and skipped, once the pod has moved. */
export interface Ticket {
  readonly queued: QueuedPod
  readonly moves: number
  readonly priority: number
  readonly since: number
  readonly backoffUntil: number
}

export const ticketFor = (queued: QueuedPod): Ticket => ({
  queued,
  moves: queued.moves,
  priority: queued.info.priority,
  since: queued.since,
  backoffUntil: queued.backoffUntil
})

export const isValid = ({ moves, queued }: Ticket): boolean => queued.moves === moves

/**
 * The order of the active queue: higher priority first, then the longest waiting. Upstream:
 * pkg/scheduler/framework/plugins/queuesort.
 */
export const comesBefore = (left: Ticket, right: Ticket): boolean => {
  if (left.priority !== right.priority) return left.priority > right.priority
  if (left.since !== right.since) return left.since < right.since
  return left.queued.sequence < right.queued.sequence
}

/** The order of pods in back-off: by the second in which the back-off ends, then as in the active queue. */
export const backsOffBefore = (left: Ticket, right: Ticket): boolean =>
  left.backoffUntil === right.backoffUntil ? comesBefore(left, right) : left.backoffUntil < right.backoffUntil
