import type { TimersShape } from "@rollcall/time"
import { type QueueMeter, WorkQueue } from "./WorkQueue.ts"

/**
 * Processes one item and calls `done` once, with an error if the item is to be retried. An error that it throws before
 * it returns, or passes to `failed`, is logged and the item retried.
 */
export type Work<E> = (key: string, done: (error?: E) => void, failed: (error: unknown) => void) => void

/**
 * Processes a queue of keys in plain code, up to `limit` keys at a time, each until its requests are answered. As with a
 * controller's workers, an object that changes during that time is processed once more afterwards.
 */
export class Workers<E> {
  readonly queue: WorkQueue<string>
  private readonly timers: TimersShape
  private readonly limit: number
  private work: Work<E> | undefined
  private active = 0
  private isScheduled = false

  /** The queue is counted under `name`. */
  constructor(timers: TimersShape, meter: QueueMeter, name: string, limit: number) {
    this.timers = timers
    this.limit = limit
    const hooks = meter.hooks(name)
    const depth = (items: number) => {
      hooks.depth?.(items)
      if (items > 0) this.schedule()
    }
    this.queue = new WorkQueue<string>(timers, { ...hooks, depth })
    meter.follow(name, this.queue)
  }

  /** Starts processing the queue. */
  start(work: Work<E>): void {
    this.work = work
    this.schedule()
  }

  stop(): void {
    this.work = undefined
    this.queue.shutDown()
  }

  private schedule(): void {
    if (this.isScheduled || this.work === undefined || this.active >= this.limit) return
    this.isScheduled = true
    this.timers.soon(this.processQueue)
  }

  private readonly processQueue = (): void => {
    this.isScheduled = false
    while (this.work !== undefined && this.active < this.limit) {
      const key = this.queue.take()
      if (key === undefined) return
      this.active++
      let isEnded = false
      const done = (isSuccess: boolean) => {
        if (isEnded) return
        isEnded = true
        this.active--
        if (isSuccess) this.queue.forget(key)
        else this.queue.addRateLimited(key)
        this.queue.done(key)
        if (this.queue.size > 0) this.schedule()
      }
      const failed = (error: unknown) => {
        this.queue.handleError(key, error)
        done(false)
      }
      try {
        this.work(key, (error) => done(error === undefined), failed)
      } catch (error) {
        failed(error)
      }
    }
  }
}
