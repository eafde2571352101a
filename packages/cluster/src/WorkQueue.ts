import { recovering, type Timer, Timers, type TimersShape } from "@rollcall/time"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import { Fifo } from "./internal/Fifo.ts"
import { type Backoff, Retries } from "./internal/Retries.ts"

/** The metrics hooks of a queue: the `workqueue_*` metrics of client-go. */
export interface WorkQueueHooks {
  /** `workqueue_depth` */
  readonly depth?: (depth: number) => void
  /** `workqueue_adds_total` */
  readonly add?: () => void
  /** `workqueue_queue_duration_seconds`, in milliseconds */
  readonly queued?: (ms: number) => void
  /** `workqueue_work_duration_seconds`, in milliseconds */
  readonly worked?: (ms: number) => void
  /** `workqueue_retries_total` */
  readonly retry?: () => void
}

/** Counts named queues; the default counts nothing, so that a queue costs nothing more. */
export interface QueueMeter {
  readonly hooks: (name: string) => WorkQueueHooks
  /** Registers a queue, for metrics that read the items in work when they are scraped. */
  readonly follow: (name: string, queue: Pick<WorkQueue<unknown>, "startTimes">) => void
}

/** The meter of the queues of a program. Upstream: client-go/util/workqueue/metrics.go, MetricsProvider. */
export const CurrentQueueMeter = Context.Reference<QueueMeter>("@rollcall/cluster/CurrentQueueMeter", {
  defaultValue: () => ({ hooks: () => ({}), follow: () => {} })
})

interface Delayed {
  readonly at: number
  readonly timer: Timer
}

/**
 * A queue of keys to reconcile, after client-go's. A waiting item is queued once. An item in work is not handed out
 * again before it is done; if it is added meanwhile, it is queued again then. Items are compared as Map keys are.
 * Upstream: client-go/util/workqueue/{queue,delaying_queue,rate_limiting_queue}.go.
 */
export class WorkQueue<K> {
  /** The queue's name in metrics; empty for a queue that is not counted. */
  readonly name: string
  private readonly timers: TimersShape
  private readonly hooks: WorkQueueHooks
  private readonly retries: Retries<K>
  /** Items to hand out, and the time at which each was added. */
  private readonly ready = new Fifo<K>()
  private readonly readySince = new Fifo<number>()
  /** Items to process: those that are ready, and those that were added again while they were processed. */
  private readonly dirty = new Set<K>()
  /** The items that were handed out, and when: milliseconds since the epoch. */
  private readonly processing = new Map<K, number>()
  private readonly delayed = new Map<K, Delayed>()
  private readonly waiters = new Set<() => void>()
  private isClosing = false

  constructor(timers: TimersShape, hooks: WorkQueueHooks = {}, name = "", backoff?: Backoff) {
    this.retries = new Retries(backoff)
    this.timers = timers
    this.hooks = hooks
    this.name = name
  }

  /** Makes a queue that shuts down with the scope. */
  static make<K>(
    hooks: WorkQueueHooks = {},
    name = "",
    backoff?: Backoff
  ): Effect.Effect<WorkQueue<K>, never, Timers | Scope.Scope> {
    return Effect.flatMap(Timers, (timers) =>
      Effect.acquireRelease(
        Effect.sync(() => new WorkQueue<K>(timers, hooks, name, backoff)),
        (queue) => Effect.sync(() => queue.shutDown())
      )
    )
  }

  /** Makes a queue that shuts down with the scope, counted under its name in Kubernetes. */
  static named<K>(name: string, backoff?: Backoff): Effect.Effect<WorkQueue<K>, never, Timers | Scope.Scope> {
    return Effect.flatMap(CurrentQueueMeter, (meter) =>
      Effect.tap(WorkQueue.make<K>(meter.hooks(name), name, backoff), (queue) =>
        Effect.sync(() => meter.follow(name, queue))
      )
    )
  }

  /** The number of items ready to be handed out. */
  get size(): number {
    return this.ready.size
  }

  /** The number of items that wait for a delay. */
  get delayedSize(): number {
    return this.delayed.size
  }

  get isShuttingDown(): boolean {
    return this.isClosing
  }

  /** The times at which the items in work were handed out. */
  startTimes(): Iterable<number> {
    return this.processing.values()
  }

  add(item: K): void {
    if (this.isClosing || this.dirty.has(item)) return
    this.dirty.add(item)
    this.hooks.add?.()
    if (!this.processing.has(item)) this.enqueue(item)
  }

  /** Adds the item after a delay. Of two delays the earlier one counts: a second call never postpones an item. */
  addAfter(item: K, delayMs: number): void {
    if (this.isClosing) return
    if (delayMs <= 0) {
      this.add(item)
      return
    }
    const at = this.timers.now() + delayMs
    const existing = this.delayed.get(item)
    if (existing !== undefined) {
      if (existing.at <= at) return
      this.timers.cancel(existing.timer)
    }
    const timer = this.timers.at(at, () => {
      this.delayed.delete(item)
      this.add(item)
    })
    this.delayed.set(item, { at, timer })
  }

  /** Adds the item after the back-off for its failures; call `forget` when it has succeeded. */
  addRateLimited(item: K): void {
    this.hooks.retry?.()
    this.addAfter(item, this.retries.nextMs(item, this.timers.now()))
  }

  /** Reports an item whose handler threw an undeclared error. */
  handleError(item: K, error: unknown): void {
    this.timers.handleError("work queue", error, { queue: this.name, item })
  }

  /** Resets the item's back-off. */
  forget(item: K): void {
    this.retries.forget(item)
  }

  /** Returns how often the item has been queued with back-off since it was forgotten. */
  numRequeues(item: K): number {
    return this.retries.count(item)
  }

  /** Hands out the oldest item; undefined if none is ready. The caller must call `done` when it has processed the item. */
  take(): K | undefined {
    if (this.ready.size === 0) return undefined
    const item = this.ready.shift()
    const addedAt = this.readySince.shift()
    const now = this.timers.now()
    this.dirty.delete(item)
    this.processing.set(item, now)
    this.hooks.queued?.(now - addedAt)
    this.hooks.depth?.(this.ready.size)
    return item
  }

  /** Marks the item as processed; queues it again if it was added meanwhile. */
  done(item: K): void {
    const startedAt = this.processing.get(item)
    if (startedAt === undefined) return
    this.processing.delete(item)
    this.hooks.worked?.(this.timers.now() - startedAt)
    if (this.dirty.has(item)) this.enqueue(item)
  }

  /** Accepts no more items; ready items are still handed out, delayed ones are dropped. */
  shutDown(): void {
    this.isClosing = true
    for (const { timer } of this.delayed.values()) this.timers.cancel(timer)
    this.delayed.clear()
    for (const wake of [...this.waiters]) wake()
  }

  /** Waits for an item; fails with Done once the queue is shut down and empty. */
  readonly get: Effect.Effect<K, Cause.Done> = Effect.suspend(() => {
    // The size distinguishes a queued undefined from an empty queue.
    if (this.ready.size > 0) return Effect.succeed(this.take() as K)
    if (this.isClosing) return Cause.done()
    return Effect.andThen(this.wait, this.get)
  })

  /** Each item wakes one waiter; a waiter that ends without taking it wakes the next. */
  private readonly wait = Effect.suspend(() => {
    let wake = () => {}
    return Effect.callback<void>((resume) => {
      wake = () => {
        this.waiters.delete(wake)
        // Resumed later: a fiber runs where it is resumed, and a worker must not run within the caller of `add`.
        this.timers.soon(() => resume(Effect.void))
      }
      this.waiters.add(wake)
    }).pipe(
      Effect.onInterrupt(() =>
        Effect.sync(() => {
          this.waiters.delete(wake)
          if (this.ready.size > 0) this.wakeOne()
        })
      )
    )
  })

  private enqueue(item: K): void {
    this.ready.push(item)
    this.readySince.push(this.timers.now())
    this.hooks.depth?.(this.ready.size)
    this.wakeOne()
  }

  private wakeOne(): void {
    for (const wake of this.waiters) {
      wake()
      return
    }
  }
}

const logFailed = <K>(queue: WorkQueue<K>, item: K, err: string) =>
  Effect.logInfo("Error syncing item, requeuing").pipe(Effect.annotateLogs({ queue: queue.name, item, err }))

/**
 * Processes a queue with `workers` fibers until it is shut down: runs the handler of an item, then resets the item's
 * back-off, or queues it again with back-off when the handler fails. A handler that throws or dies is handed to
 * `handleError` and retried in the same way; only an interruption ends the workers. Fork it into the controller's
 * scope.
 */
export const runWorkers = <K, E, R>(
  queue: WorkQueue<K>,
  workers: number,
  handler: (item: K) => Effect.Effect<void, E, R>,
  onError?: (item: K, error: E) => Effect.Effect<void, never, R>
): Effect.Effect<void, never, R> => {
  const failed = (item: K, cause: Cause.Cause<E>): Effect.Effect<void, never, R> => {
    const error = Cause.findError(cause)
    if (Result.isSuccess(error)) {
      return onError === undefined ? logFailed(queue, item, messageOf(error.success)) : onError(item, error.success)
    }
    return Effect.sync(() => queue.handleError(item, Cause.squash(cause)))
  }
  const handle = (item: K) =>
    Effect.suspend(() => handler(item)).pipe(
      Effect.matchCauseEffect({
        onSuccess: () => Effect.sync(() => queue.forget(item)),
        onFailure: (cause) =>
          Cause.hasInterruptsOnly(cause)
            ? Effect.failCause(cause as Cause.Cause<never>)
            : Effect.andThen(
                recovering(
                  Effect.suspend(() => failed(item, cause)),
                  (error) => Effect.sync(() => queue.handleError(item, error))
                ),
                Effect.sync(() => queue.addRateLimited(item))
              )
      }),
      Effect.ensuring(Effect.sync(() => queue.done(item)))
    )
  const worker = Effect.flatMap(queue.get, handle).pipe(
    Effect.forever,
    Effect.catchTag("Done", () => Effect.void)
  )
  return Effect.all(
    Array.from({ length: workers }, () => worker),
    { concurrency: "unbounded", discard: true }
  )
}

const messageOf = (error: unknown): string =>
  typeof error === "object" && error !== null && "message" in error ? String(error.message) : String(error)
