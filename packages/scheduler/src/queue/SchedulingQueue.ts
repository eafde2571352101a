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

export interface QueueOptions {
  readonly initialBackoffMs: number
  /** 0 disables the back-off. */
  readonly maxBackoffMs: number
  /** Pods that are unschedulable for longer are requeued without an event. */
  readonly maxUnschedulableMs: number
  /** Called for each pod that enters a queue, with the event; and for changes of the unschedulable pods of a plugin. */
  readonly observer?: QueueObserver
}

export interface QueueObserver {
  readonly queued: (place: QueuePlace, event: string) => void
  readonly pending: (place: QueuePlace, count: number) => void
  readonly unschedulable: (plugin: string, change: 1 | -1, schedulerName: string) => void
}

const placeNames = {
  active: "active",
  backoff: "backoff",
  errorBackoff: "backoff",
  unschedulable: "unschedulable"
} as const

/** Upstream: pkg/scheduler/backend/queue/scheduling_queue.go. */
export const defaultQueueOptions: QueueOptions = {
  initialBackoffMs: 1000,
  maxBackoffMs: 10_000,
  maxUnschedulableMs: 300_000
}

/** Back-offs end at whole seconds, so that pods of one second keep their order of priority. */
const WINDOW_MS = 1000
const windowOf = (timeMs: number): number => Math.floor(timeMs / WINDOW_MS) * WINDOW_MS

/**
 * The scheduling queue: active pods in order of priority, pods in back-off after a failure, and unschedulable pods
 * that wait for an event. Plain data with explicit times; a pod stays until it is deleted.
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

  /** Number of pods in the queue, including those in a cycle. */
  get size(): number {
    return this.pods.size
  }

  get unschedulableSize(): number {
    return this.unschedulable.size
  }

  find(key: string): QueuedPod | undefined {
    return this.pods.get(key)
  }

  /** Adds a new pod. */
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

  /** Replaces the version of a pod. */
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
   * The next pod to schedule. Without an active one, the first in back-off after a rejection: in an idle cluster the
   * back-off is no minimum delay (SchedulerPopFromBackoffQ).
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

  /** Returns a pod that filters rejected: it waits for an event that concerns one of them. */
  rejected(queued: QueuedPod, plugins: ReadonlyArray<string>, now: number): void {
    if (this.pods.get(queued.info.key) !== queued) return
    this.clearRejection(queued)
    queued.plugins = plugins
    this.blame(queued, 1)
    queued.consecutiveErrors = 0
    queued.overdue = false
    queued.unschedulableCount++
    queued.since = now
    this.enter(queued, "unschedulable", "ScheduleAttemptFailure")
  }

  /** Returns a pod whose attempt ended in an error: it goes into back-off regardless of events. */
  failed(queued: QueuedPod, now: number): void {
    if (this.pods.get(queued.info.key) !== queued) return
    this.clearRejection(queued)
    queued.consecutiveErrors++
    queued.since = now
    queued.backoffUntil = this.backoffEnd(queued)
    this.enter(queued, "errorBackoff", "ScheduleAttemptFailure")
  }

  /** Requeues the unschedulable pods that pass the test, because of an event; returns how many. */
  releaseWhere(test: (queued: QueuedPod) => boolean, now: number, event = "ForceActivate"): number {
    let released = 0
    for (const queued of [...this.unschedulable]) {
      if (!test(queued)) continue
      this.release(queued, event, now)
      released++
    }
    return released
  }

  /** As `releaseWhere`, for those that have waited for too long. */
  releaseStale(now: number): number {
    const isOverdue = (queued: QueuedPod) => {
      if (now - queued.since <= this.options.maxUnschedulableMs) return false
      queued.overdue = true
      return true
    }
    return this.releaseWhere(isOverdue, now, "UnschedulableTimeout")
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

  /** When `flushBackoff` next has something to do; Infinity when nothing is in back-off. */
  nextFlushAt(): number {
    const ends = [this.peekAt(this.backoff), this.peekAt(this.errorBackoff)].map(
      (queued) => queued?.backoffUntil ?? Number.POSITIVE_INFINITY
    )
    return Math.min(...ends) + WINDOW_MS
  }

  private release(queued: QueuedPod, event: string, now: number): void {
    queued.backoffUntil = this.backoffEnd(queued)
    this.enter(queued, queued.backoffUntil >= windowOf(now) ? "backoff" : "active", event)
  }

  /** Clears the plugins that rejected it last. */
  private clearRejection(queued: QueuedPod): void {
    this.blame(queued, -1)
    queued.plugins = []
  }

  private blame({ info, plugins }: QueuedPod, change: 1 | -1): void {
    const schedulerName = info.pod.spec.schedulerName || "default-scheduler"
    for (const plugin of plugins) this.options.observer?.unschedulable(plugin, change, schedulerName)
  }

  private backoffEnd({ consecutiveErrors, since, unschedulableCount }: QueuedPod): number {
    const { initialBackoffMs, maxBackoffMs } = this.options
    const failures = consecutiveErrors > 0 ? consecutiveErrors : unschedulableCount
    const delay = backoffAfter(failures, initialBackoffMs, maxBackoffMs)
    return delay === 0 ? Number.NEGATIVE_INFINITY : windowOf(since + delay)
  }

  /** Moves a pod within its heap. */
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
