import type { PodInfo } from "../cache/CacheRecords.ts"
import { backoffAfter } from "./backoff.ts"
import { Heap } from "./Heap.ts"
import {
  backsOffBefore,
  comesBefore,
  isValid,
  type QueuedPod,
  type QueuePlace,
  type Ticket,
  ticketFor
} from "./QueuedPod.ts"
import { pendingPodAdded } from "./SchedulingEvent.ts"

/** Times of a queue, from the scheduler's configuration. */
export interface QueueOptions {
  readonly initialBackoffMs: number
  /** 0 disables the back-off. */
  readonly maxBackoffMs: number
  /** A pod that is unschedulable for longer is requeued without an event. */
  readonly maxUnschedulableMs: number
  readonly observer?: QueueObserver
}

/** Is told what a queue does, to count it in metrics. */
export interface QueueObserver {
  /** A pod entered this part of the queue because of this event. */
  readonly queued: (place: QueuePlace, event: string) => void
  /** This part of the queue now contains `count` pods. */
  readonly pending: (place: QueuePlace, count: number) => void
  /** The number of pods that a plugin rejects changed by one. */
  readonly unschedulable: (plugin: string, change: 1 | -1, schedulerName: string) => void
}

/** The part of the queue → its name in metrics. */
const placeNames = {
  active: "active",
  backoff: "backoff",
  errorBackoff: "backoff",
  unschedulable: "unschedulable"
} as const

/** kube-scheduler's defaults. Upstream: pkg/scheduler/backend/queue/scheduling_queue.go. */
export const defaultQueueOptions: QueueOptions = {
  initialBackoffMs: 1000,
  maxBackoffMs: 10_000,
  maxUnschedulableMs: 300_000
}

/**
 * Back-offs end at whole seconds, so that pods whose back-off ends in the same second are ordered by priority.
 * Upstream: backoff_queue.go backoffQOrderingWindowDuration.
 */
const WINDOW_MS = 1000
const windowOf = (timeMs: number): number => Math.floor(timeMs / WINDOW_MS) * WINDOW_MS

/**
 * The scheduling queue: active pods in order of priority, pods in back-off after a failure, and unschedulable pods
 * that wait for an event. It reads no clock: each `now` is in milliseconds since the Unix epoch. A pod remains in it,
 * also during its scheduling cycle, until `delete`.
 * Upstream: pkg/scheduler/backend/queue.
 */
export class SchedulingQueue {
  private readonly options: QueueOptions
  private readonly pods = new Map<string, QueuedPod>()
  private readonly active = new Heap<Ticket>(comesBefore)
  private readonly backoff = new Heap<Ticket>(backsOffBefore)
  private readonly errorBackoff = new Heap<Ticket>(backsOffBefore)
  private readonly unschedulable = new Set<QueuedPod>()
  private readonly counts: Record<QueuePlace, number> = { active: 0, backoff: 0, unschedulable: 0 }
  private sequence = 0

  constructor(options: QueueOptions = defaultQueueOptions) {
    this.options = options
  }

  /** Number of pods, including those in a scheduling cycle. */
  get size(): number {
    return this.pods.size
  }

  get unschedulableSize(): number {
    return this.unschedulable.size
  }

  find(key: string): QueuedPod | undefined {
    return this.pods.get(key)
  }

  /** Adds a new pod as active; does nothing if it is known already. */
  add(info: PodInfo, now: number): void {
    if (this.pods.has(info.key)) return
    const queued: QueuedPod = {
      info,
      sequence: this.sequence++,
      waitingIn: undefined,
      since: now,
      attempts: 0,
      arrivedAt: now,
      unschedulableCount: 0,
      consecutiveErrors: 0,
      backoffUntil: 0,
      plugins: [],
      overdue: false,
      moves: 0
    }
    this.pods.set(info.key, queued)
    this.enter(queued, "active", pendingPodAdded)
  }

  /** Replaces the stored version of a pod; does nothing if the pod is unknown. */
  update(info: PodInfo): void {
    const queued = this.pods.get(info.key)
    if (queued === undefined) return
    const reorders = queued.info.priority !== info.priority && queued.waitingIn !== undefined
    queued.info = info
    if (reorders && queued.waitingIn !== "unschedulable") this.reorder(queued)
  }

  /** Removes a pod that was deleted or scheduled. */
  delete(key: string): void {
    const queued = this.pods.get(key)
    if (queued === undefined) return
    this.enter(queued, undefined)
    this.clearRejection(queued)
    this.pods.delete(key)
  }

  /**
   * Returns the next pod to schedule. If no pod is active, that is the first one in back-off after a rejection: while
   * the scheduler is idle, the back-off is no minimum delay (feature gate SchedulerPopFromBackoffQ). Pods in back-off
   * after an error are not taken early.
   */
  pop(): QueuedPod | undefined {
    const active = this.takeFrom(this.active)
    const queued = active ?? this.takeFrom(this.backoff)
    if (queued === undefined) return undefined
    if (active === undefined) this.options.observer?.queued("active", "PopFromBackoffQ")
    this.enter(queued, undefined)
    this.clearRejection(queued)
    queued.attempts++
    queued.backoffUntil = 0
    return queued
  }

  /** Puts back a pod that plugins rejected: it waits for an event that concerns one of them. */
  returnRejected(queued: QueuedPod, plugins: ReadonlyArray<string>, now: number): void {
    if (this.pods.get(queued.info.key) !== queued) return
    this.clearRejection(queued)
    queued.plugins = plugins
    this.countRejections(queued, 1)
    queued.consecutiveErrors = 0
    queued.overdue = false
    queued.unschedulableCount++
    queued.since = now
    this.enter(queued, "unschedulable", "ScheduleAttemptFailure")
  }

  /** Puts back a pod whose attempt ended in an error: it goes into back-off and needs no event. */
  returnFailed(queued: QueuedPod, now: number): void {
    if (this.pods.get(queued.info.key) !== queued) return
    this.clearRejection(queued)
    queued.consecutiveErrors++
    queued.since = now
    queued.backoffUntil = this.backoffEnd(queued)
    this.enter(queued, "errorBackoff", "ScheduleAttemptFailure")
  }

  /** Requeues the unschedulable pods that pass the test, because of an event. Returns their number. */
  requeueWhere(test: (queued: QueuedPod) => boolean, now: number, event = "ForceActivate"): number {
    let requeued = 0
    for (const queued of [...this.unschedulable]) {
      if (!test(queued)) continue
      this.requeue(queued, event, now)
      requeued++
    }
    return requeued
  }

  /** Requeues the pods that have been unschedulable for longer than `maxUnschedulableMs`. Returns their number. */
  requeueStale(now: number): number {
    const isOverdue = (queued: QueuedPod) => {
      if (now - queued.since <= this.options.maxUnschedulableMs) return false
      queued.overdue = true
      return true
    }
    return this.requeueWhere(isOverdue, now, "UnschedulableTimeout")
  }

  /** Activates pods whose back-off has ended. */
  flushBackoff(now: number): void {
    for (const heap of [this.backoff, this.errorBackoff]) {
      for (
        let top = this.peekAt(heap);
        top !== undefined && top.backoffUntil < windowOf(now);
        top = this.peekAt(heap)
      ) {
        heap.pop()
        this.enter(top, "active", "BackoffComplete")
      }
    }
  }

  /** When `flushBackoff` next has something to do; Infinity if no pod is in back-off. */
  nextFlushAt(): number {
    const ends = [this.peekAt(this.backoff), this.peekAt(this.errorBackoff)].map(
      (queued) => queued?.backoffUntil ?? Number.POSITIVE_INFINITY
    )
    return Math.min(...ends) + WINDOW_MS
  }

  private requeue(queued: QueuedPod, event: string, now: number): void {
    queued.backoffUntil = this.backoffEnd(queued)
    this.enter(queued, queued.backoffUntil >= windowOf(now) ? "backoff" : "active", event)
  }

  /** Forgets which plugins rejected the pod last. */
  private clearRejection(queued: QueuedPod): void {
    this.countRejections(queued, -1)
    queued.plugins = []
  }

  /** Reports one unschedulable pod more, or less, for each plugin that rejected it. */
  private countRejections({ info, plugins }: QueuedPod, change: 1 | -1): void {
    const schedulerName = info.pod.spec.schedulerName || "default-scheduler"
    for (const plugin of plugins) this.options.observer?.unschedulable(plugin, change, schedulerName)
  }

  private backoffEnd({ consecutiveErrors, since, unschedulableCount }: QueuedPod): number {
    const { initialBackoffMs, maxBackoffMs } = this.options
    const failures = consecutiveErrors > 0 ? consecutiveErrors : unschedulableCount
    const delay = backoffAfter(failures, initialBackoffMs, maxBackoffMs)
    return delay === 0 ? Number.NEGATIVE_INFINITY : windowOf(since + delay)
  }

  /** Pushes a pod again, with its new priority; its older entry in the heap becomes outdated. */
  private reorder(queued: QueuedPod): void {
    queued.moves++
    this.push(queued)
  }

  private count(place: QueuedPod["waitingIn"], change: 1 | -1): void {
    if (place === undefined) return
    const name = placeNames[place]
    this.counts[name] += change
    this.options.observer?.pending(name, this.counts[name])
  }

  /** Moves a pod to another part of the queue, or out of all. */
  private enter(queued: QueuedPod, place: QueuedPod["waitingIn"], event = ""): void {
    if (queued.waitingIn === "unschedulable") this.unschedulable.delete(queued)
    this.count(queued.waitingIn, -1)
    this.count(place, 1)
    if (place !== undefined) this.options.observer?.queued(placeNames[place], event)
    queued.waitingIn = place
    queued.moves++
    this.push(queued)
  }

  private push(queued: QueuedPod): void {
    const ticket = ticketFor(queued)
    const place = queued.waitingIn
    if (place === "active") this.active.push(ticket)
    else if (place === "backoff") this.backoff.push(ticket)
    else if (place === "errorBackoff") this.errorBackoff.push(ticket)
    else if (place === "unschedulable") this.unschedulable.add(queued)
  }

  /** The first pod of a heap; removes outdated entries before it. */
  private peekAt(heap: Heap<Ticket>): QueuedPod | undefined {
    for (;;) {
      const top = heap.peek()
      if (top === undefined || isValid(top)) return top?.queued
      heap.pop()
    }
  }

  private takeFrom(heap: Heap<Ticket>): QueuedPod | undefined {
    const queued = this.peekAt(heap)
    if (queued !== undefined) heap.pop()
    return queued
  }
}
