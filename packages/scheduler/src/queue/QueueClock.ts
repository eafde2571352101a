import { guarded, type Timer, type TimersShape } from "@rollcall/time"
import type { SchedulingQueue } from "./SchedulingQueue.ts"

/** How often unschedulable pods are checked for those that have waited too long. */
const STALE_CHECK_MS = 30_000

/** The timers of a queue: one for pods in back-off, and one for unschedulable pods. */
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

  /** To be called when pods may have been put into back-off. */
  planBackoff(): void {
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

  /** To be called when pods may have become unschedulable. */
  planStale(): void {
    if (this.staleTimer !== undefined || this.queue.unschedulableSize === 0) return
    const checks = Math.floor((this.timers.now() - this.startedAt) / STALE_CHECK_MS) + 1
    const at = this.startedAt + checks * STALE_CHECK_MS
    this.staleTimer = this.timers.at(at, () => {
      this.staleTimer = undefined
      guarded(this.timers, "scheduling queue", () => this.queue.releaseStale(this.timers.now()))
      this.planStale()
      this.onWork()
    })
  }
}
