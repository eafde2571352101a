import type { PodInfo } from "../cache/CacheRecords.ts"

/** The queue of a pod; undefined during its cycle, or after it has left. */
export type WaitingIn = "active" | "backoff" | "errorBackoff" | "unschedulable" | undefined

/** A queue under its name in metrics. */
export type QueuePlace = "active" | "backoff" | "unschedulable"

/** A pod to be scheduled, with the state of its attempts. Upstream: pkg/scheduler/framework/types.go QueuedPodInfo. */
export interface QueuedPod {
  info: PodInfo
  /** Order of arrival, to break ties. */
  readonly sequence: number
  waitingIn: WaitingIn
  /** When it was added, or returned after its last attempt. */
  since: number
  attempts: number
  /** When it was first added. */
  readonly arrivedAt: number
  /** Number of rejections by filters; only reset by leaving the queue. */
  unschedulableCount: number
  /** Number of errors since its last result. */
  consecutiveErrors: number
  /** Whole second at which its back-off ends. */
  backoffUntil: number
  /** The filters that rejected it last. */
  plugins: ReadonlyArray<string>
  /** Requeued because of the timeout, not because of an event. */
  overdue: boolean
  /** Increased by each move between queues. */
  moves: number
}

/** A pod's entry in a heap, with its ordering keys. Invalid once the pod has moved. */
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

/** Higher priority first, then the longest waiting. Upstream: pkg/scheduler/framework/plugins/queuesort. */
export const comesBefore = (left: Ticket, right: Ticket): boolean => {
  if (left.priority !== right.priority) return left.priority > right.priority
  if (left.since !== right.since) return left.since < right.since
  return left.queued.sequence < right.queued.sequence
}

/** By the second in which the back-off ends, then as in the active queue. */
export const backsOffBefore = (left: Ticket, right: Ticket): boolean =>
  left.backoffUntil === right.backoffUntil ? comesBefore(left, right) : left.backoffUntil < right.backoffUntil
