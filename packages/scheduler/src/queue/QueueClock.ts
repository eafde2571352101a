import { guarded, type Timer, type TimersShape } from "@rollcall/time"
import type { SchedulingQueue } from "./SchedulingQueue.ts"

/** How often the queue is checked for pods that have been unschedulable for too long. Upstream: scheduling_queue.go Run. */
const STALE_CHECK_MS = 30_000

/** Runs the two timers of a scheduling queue: one for pods in back-off, and one for unschedulable pods. */
export class QueueClock {
  private readonly queue: SchedulingQueue
  private readonly timers: TimersShape
  private readonly onWork: () => void
  private startedAt = 0
  private backoffTimer: Timer | undefined
  private backoffAt = Number.POSITIVE_INFINITY
  private staleTimer: Timer | undefined

  /** `onWork` is called when a pod may have become active. */
  constructor(queue: SchedulingQueue, timers: TimersShape, onWork: () => void) {
    this.queue = queue
    this.timers = timers
    this.onWork = onWork
  }

  start(): void {
    this.startedAt = this.timers.now()
  }

  stop(): void {
    for (const timer of [this.backoffTimer, this.staleTimer]) if (timer !== undefined) this.timers.cancel(timer)
  }

  /** Must be called whenever a pod may have entered back-off. */
  planBackoff(): void {
    // A timer that is planned for the same time or earlier plans the next one when it fires.
    const at = this.queue.nextFlushAt()
    if (this.backoffAt <= at) return
    if (this.backoffTimer !== undefined) this.timers.cancel(this.backoffTimer)
    this.backoffAt = Math.max(at, this.timers.now())
    this.backoffTimer = this.timers.at(at, () => {
      this.backoffTimer = undefined
      this.backoffAt = Number.POSITIVE_INFINITY
      this.queue.flushBackoff(this.timers.now())
      this.onWork()
    })
  }

  /** Must be called whenever a pod may have become unschedulable. Checks are at multiples of 30 s after the start. */
  planStale(): void {
    if (this.staleTimer !== undefined || this.queue.unschedulableSize === 0) return
    const checks = Math.floor((this.timers.now() - this.startedAt) / STALE_CHECK_MS) + 1
    const at = this.startedAt + checks * STALE_CHECK_MS
    this.staleTimer = this.timers.at(at, () => {
      this.staleTimer = undefined
      guarded(this.timers, "scheduling queue", () => this.queue.requeueStale(this.timers.now()))
      this.planStale()
      this.onWork()
    })
  }
}
