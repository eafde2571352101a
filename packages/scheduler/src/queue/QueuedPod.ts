import type { PodInfo } from "../cache/CacheRecords.ts"

/** Where a pod waits; undefined while a cycle has it, or once it has left. */
export type WaitingIn = "active" | "backoff" | "errorBackoff" | "unschedulable" | undefined

/** A queue by the name that metrics give it. */
export type QueuePlace = "active" | "backoff" | "unschedulable"

/** A pod that has to be placed, and how it has fared. Upstream: pkg/scheduler/framework/types.go QueuedPodInfo. */
export interface QueuedPod {
  info: PodInfo
  /** Order of arrival, which settles what priority and time leave open. */
  readonly sequence: number
  waitingIn: WaitingIn
  /** When it came, or came back after its last attempt. */
  since: number
  attempts: number
  /** When it first came. */
  readonly arrivedAt: number
  /** Times that filters rejected it; only leaving the queue resets it. */
  unschedulableCount: number
  /** Errors since it was last judged. */
  consecutiveErrors: number
  /** Whole second at which its back-off ends. */
  backoffUntil: number
  /** The filters that rejected it last. */
  plugins: ReadonlyArray<string>
  /** It is tried again because it has waited too long, not because anything happened. */
  overdue: boolean
  /** Raised with each change of place. */
  moves: number
}

/** A pod's place in a heap, with what it is ordered by. Void once the pod has moved on. */
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
