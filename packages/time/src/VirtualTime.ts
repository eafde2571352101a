import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Scheduler from "effect/Scheduler"
import { type HandleError, rethrowErrors } from "./handledErrors.ts"
import { Call, type Timer, TimerHeap } from "./TimerHeap.ts"
import { Timers, type TimersShape } from "./Timers.ts"

/** The services that an Effect needs to run in virtual time. */
export type VirtualServices = Timers

/**
 * A virtual time that advances only when nothing is left to do at the current instant: a clock, timers and a fiber
 * scheduler over one heap, run synchronously. Two runs of the same program do the same things in the same order at the
 * same times.
 */
export interface VirtualTime {
  readonly timers: TimersShape
  readonly clock: Clock.Clock
  /** Clock, Timers and Scheduler, to provide to every effect that runs in this time. */
  readonly context: Context.Context<VirtualServices>
  /** The number of timers and queued callbacks run so far. */
  readonly steps: () => number
  /** Returns the time of the next timer; Infinity if nothing is planned. */
  readonly nextAt: () => number
  /** Starts an effect, which runs when `run` or `runUntil` is called. */
  readonly fork: <A, E>(effect: Effect.Effect<A, E, VirtualServices>) => Fiber.Fiber<A, E>
  /** Runs everything due up to and including `timeMs`, then sets the time to it. */
  readonly runUntil: (timeMs: number) => void
  /** An effect that ends when everything due at this instant has run, and before time advances. */
  readonly settled: Effect.Effect<void>
  /**
   * Replaces the handler of callbacks' errors. While a program is built, errors should be thrown to its builder; later
   * they should be handled, so that the program continues.
   */
  readonly setHandleError: (handleError: HandleError) => void
  /** Runs everything until the effect ends and returns its exit; a defect if nothing is left to run that could end it. */
  readonly run: <A, E>(effect: Effect.Effect<A, E, VirtualServices>) => Exit.Exit<A, E>
}

class CallbackQueue {
  private items: Array<(() => void) | undefined> = []
  private head = 0

  push(callback: () => void): void {
    this.items.push(callback)
  }

  /** Runs the oldest callback. Returns false if there was none. */
  runNext(): boolean {
    if (this.head === this.items.length) {
      if (this.head > 0) {
        this.items.length = 0
        this.head = 0
      }
      return false
    }
    const callback = this.items[this.head] as () => void
    this.items[this.head++] = undefined
    callback()
    return true
  }
}

export interface VirtualTimeOptions {
  /**
   * Handles what callbacks throw. By default `runUntil` or `run` throws it, and continues from there when called again.
   */
  readonly handleError?: HandleError
}

/** Makes a virtual time that starts at `startMs` (milliseconds since the epoch). */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: one clock, its queues, and the functions that move it.
export const makeVirtualTime = (startMs: number, options: VirtualTimeOptions = {}): VirtualTime => {
  const heap = new TimerHeap()
  const soon = new CallbackQueue()
  let now = startMs
  let steps = 0
  let { handleError = rethrowErrors } = options
  const waitingForEndOfInstant = new Set<() => void>()

  const call = (at: number, callback: () => void): Timer => {
    const timer = new Call(callback)
    heap.add(at, timer)
    return timer
  }
  const timers: TimersShape = {
    now: () => now,
    at: (timeMs, callback) => call(Math.max(timeMs, now), callback),
    after: (delayMs, callback) => call(delayMs > 0 ? now + delayMs : now, callback),
    plan: (timer, timeMs) => heap.add(Math.max(timeMs, now), timer),
    cancel: (timer) => heap.cancel(timer),
    soon: (callback) => soon.push(callback),
    numbered: (fire, usualMs) => heap.numbered(fire, usualMs),
    handleError: (source, error, fields) => handleError(source, error, fields)
  }

  const nanos = () => BigInt(Math.round(now * 1000)) * 1000n
  const clock: Clock.Clock = {
    currentTimeMillisUnsafe: () => now,
    currentTimeMillis: Effect.sync(() => now),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: nanos,
    monotonicTimeNanos: Effect.sync(nanos),
    sleep: (duration) => {
      const millis = Duration.toMillis(duration)
      if (millis <= 0) return Effect.yieldNow
      if (!Number.isFinite(millis)) return Effect.never
      return Effect.callback<void>((resume) => {
        const timer = timers.after(millis, () => resume(Effect.void))
        return Effect.sync(() => timers.cancel(timer))
      })
    }
  }

  const scheduler = new Scheduler.MixedScheduler("async", (callback) => {
    let isActive = true
    soon.push(() => {
      if (isActive) callback()
    })
    return () => {
      isActive = false
    }
  })

  const context = Context.make(Timers, timers).pipe(
    Context.add(Clock.Clock, clock),
    Context.add(Scheduler.Scheduler, scheduler)
  )

  const runQueued = () => {
    while (soon.runNext()) steps++
  }

  /** Runs one timer and everything that follows from it at the same instant. Returns false if none is due by `until`. */
  const stepTo = (until: number): boolean => {
    const at = heap.nextAt()
    if (at > until || at === Number.POSITIVE_INFINITY) return false
    now = at
    steps++
    heap.fireNext()
    runQueued()
    return true
  }

  /** Wakes the effects that wait for the end of this instant. Returns false if there are none, or if more is due. */
  const wakeAtEndOfInstant = (): boolean => {
    if (waitingForEndOfInstant.size === 0 || heap.nextAt() <= now) return false
    const waiting = [...waitingForEndOfInstant]
    waitingForEndOfInstant.clear()
    for (const wake of waiting) wake()
    runQueued()
    return true
  }

  /** Calls `run` until it returns: an error that it throws is handled, and it is called again. */
  const advance = (run: () => void): void => {
    for (;;) {
      try {
        runQueued()
        run()
        return
      } catch (error) {
        handleError("timer", error)
      }
    }
  }

  const fork: VirtualTime["fork"] = (effect) => Effect.runForkWith(context)(effect)

  return {
    timers,
    clock,
    context,
    steps: () => steps,
    nextAt: () => heap.nextAt(),
    fork,
    settled: Effect.callback<void>((resume) => {
      const wake = () => resume(Effect.void)
      waitingForEndOfInstant.add(wake)
      return Effect.sync(() => waitingForEndOfInstant.delete(wake))
    }),
    setHandleError: (handle) => {
      handleError = handle
    },
    runUntil: (timeMs) => {
      advance(() => {
        while (wakeAtEndOfInstant() || stepTo(timeMs)) {
          // each step does its own work
        }
      })
      if (timeMs > now) now = timeMs
    },
    run: <A, E>(effect: Effect.Effect<A, E, VirtualServices>): Exit.Exit<A, E> => {
      const outcome: { exit?: Exit.Exit<A, E> } = {}
      const fiber = fork(effect)
      fiber.addObserver((exit) => {
        outcome.exit = exit
      })
      advance(() => {
        while (outcome.exit === undefined && (wakeAtEndOfInstant() || stepTo(Number.MAX_VALUE))) {
          // each step does its own work
        }
      })
      return outcome.exit ?? Exit.die(new Error("virtual time: nothing is left to run and the effect has not ended"))
    }
  }
}
