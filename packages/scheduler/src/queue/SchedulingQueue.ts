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
  /** 0 switches the back-off off. */
  readonly maxBackoffMs: number
  /** Pods that stay unschedulable for longer are tried again whatever has happened. */
  readonly maxUnschedulableMs: number
  /** Hears of each pod that comes to a place, and because of what; and of those that were out of hope because of a plugin. */
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

/** Back-offs end in step with whole seconds, so that pods of one second keep the order of their priorities. */
const WINDOW_MS = 1000
const windowOf = (timeMs: number): number => Math.floor(timeMs / WINDOW_MS) * WINDOW_MS

/**
 * The pods that wait to be placed: active ones in order of priority, those that back off after a failure, and those that no
 * node would do for until something changes. Plain data and explicit times; never loses a pod that was not deleted.
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

  /** Pods in the queue, those with a cycle included. */
  get size(): number {
    return this.pods.size
  }

  get unschedulableSize(): number {
    return this.unschedulable.size
  }

  find(key: string): QueuedPod | undefined {
    return this.pods.get(key)
  }

  /** Takes in a pod that is new to the queue. */
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

  /** Replaces what is known of a pod. */
  update(info: PodInfo): void {
    const queued = this.pods.get(info.key)
    if (queued === undefined) return
    const reorders = queued.info.priority !== info.priority && queued.waitingIn !== undefined
    queued.info = info
    if (reorders && queued.waitingIn !== "unschedulable") this.reorder(queued)
  }

  /** Forgets a pod that is gone or placed. */
  delete(key: string): void {
    const queued = this.pods.get(key)
    if (queued === undefined) return
    this.enter(queued, undefined)
    this.forgive(queued)
    this.pods.delete(key)
  }

  /**
   * The next pod to place. When no active one is left, one that backs off after a rejection has its turn: in an idle cluster
   * back-off is no least delay (SchedulerPopFromBackoffQ).
   */
  pop(): QueuedPod | undefined {
    const active = this.takeFrom(this.active)
    const queued = active ?? this.takeFrom(this.backoff)
    if (queued === undefined) return undefined
    if (active === undefined) this.options.observer?.queued("active", "PopFromBackoffQ")
    this.enter(queued, undefined)
    this.forgive(queued)
    queued.attempts++
    queued.backoffUntil = 0
    return queued
  }

  /** Takes back a pod that filters rejected: it waits for an event that concerns one of them. */
  rejected(queued: QueuedPod, plugins: ReadonlyArray<string>, now: number): void {
    if (this.pods.get(queued.info.key) !== queued) return
    this.forgive(queued)
    queued.plugins = plugins
    this.blame(queued, 1)
    queued.consecutiveErrors = 0
    queued.overdue = false
    queued.unschedulableCount++
    queued.since = now
    this.enter(queued, "unschedulable", "ScheduleAttemptFailure")
  }

  /** Takes back a pod whose attempt ended in an error: it backs off, whatever happens. */
  failed(queued: QueuedPod, now: number): void {
    if (this.pods.get(queued.info.key) !== queued) return
    this.forgive(queued)
    queued.consecutiveErrors++
    queued.since = now
    queued.backoffUntil = this.backoffEnd(queued)
    this.enter(queued, "errorBackoff", "ScheduleAttemptFailure")
  }

  /** Lets those unschedulable pods try again for which the test holds, because of an event; returns how many. */
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

  /** Makes active those whose back-off is over. */
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

  /** When `flushBackoff` next has something to do, Infinity when nothing backs off. */
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

  /** What rejected it last is of no account any more. */
  private forgive(queued: QueuedPod): void {
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

  /** Puts a pod that stays where it is in its new order. */
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
