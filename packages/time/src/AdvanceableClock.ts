import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import { loggedErrors } from "./handledErrors.ts"
import { Call, TimerHeap } from "./TimerHeap.ts"
import { Timers, type TimersShape } from "./Timers.ts"

/** Timers of one instant that fire before `settle` runs: a timer that plans itself for now must not stop the clock. */
const MAX_TIMERS_AT_ONCE = 10_000

/** The time of a process as its owner moves it: for tests of programs that do real input and output. */
export interface ClockControl {
  /**
   * Lets a duration pass at once: fires every timer on the way at its own time, in order. After each instant `settle` runs, and time stands
   * still until it ends: it waits for what the timers have caused. Calls run one after another.
   */
  readonly advance: (duration: Duration.Input, settle: Effect.Effect<void>) => Effect.Effect<void>
}

/** The time of the clock below, and what has been skipped of it. */
class SkippedTime {
  /** The instant at which time stands still. */
  private frozenMs: number | undefined
  private skippedMs = 0
  private readonly underlyingMs: () => number

  constructor(underlyingMs: () => number) {
    this.underlyingMs = underlyingMs
  }

  get isFrozen(): boolean {
    return this.frozenMs !== undefined
  }

  readonly now = (): number => this.frozenMs ?? this.underlyingMs() + this.skippedMs

  freezeAt(ms: number): void {
    this.frozenMs = Math.max(ms, this.now())
  }

  /** Lets time pass again from where it stands. */
  thaw(): void {
    this.skippedMs = this.now() - this.underlyingMs()
    this.frozenMs = undefined
  }
}

const makeClock = ({ after, now }: Pick<TimersShape, "after" | "now">, cancel: TimersShape["cancel"]): Clock.Clock => {
  const nanos = () => BigInt(Math.round(now() * 1e6))
  return {
    currentTimeMillisUnsafe: now,
    currentTimeMillis: Effect.sync(now),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: nanos,
    monotonicTimeNanos: Effect.sync(nanos),
    sleep: (duration) => {
      const ms = Duration.toMillis(duration)
      if (ms <= 0) return Effect.yieldNow
      if (!Number.isFinite(ms)) return Effect.never
      return Effect.callback((resume) => {
        const timer = after(ms, () => resume(Effect.void))
        return Effect.sync(() => cancel(timer))
      })
    }
  }
}

/**
 * Timers and a Clock that pass as the underlying clock does, and that `advance` moves forward. All sleeps and callbacks wait in one heap; a callback
 * that throws is logged and counted.
 */
export class AdvanceableClock extends Context.Service<AdvanceableClock, ClockControl>()(
  "@rollcall/time/AdvanceableClock"
) {
  static readonly layer: Layer.Layer<AdvanceableClock | Timers> = Layer.effectContext(
    Effect.gen(function* () {
      const baseClock = yield* Clock.Clock
      const startMs = baseClock.currentTimeMillisUnsafe()
      const startNanos = baseClock.monotonicTimeNanosUnsafe()
      const time = new SkippedTime(() => startMs + Number(baseClock.monotonicTimeNanosUnsafe() - startNanos) / 1e6)
      const heap = new TimerHeap()
      const fork = Effect.runForkWith(yield* Effect.context<never>())
      const handleError = yield* loggedErrors
      const resolvedPromise = Promise.resolve()
      const { now } = time
      let sleeper: Fiber.Fiber<void> | undefined

      const handleTimerError = (error: unknown) => handleError("timer", error)
      const fireDue = () => {
        const instant = now()
        for (let fired = 0; fired < MAX_TIMERS_AT_ONCE && heap.nextAt() <= instant; fired++) {
          try {
            heap.fireNext()
          } catch (error) {
            handleTimerError(error)
          }
        }
      }
      const sleepUntilNext = () => {
        if (time.isFrozen) return
        sleeper?.interruptUnsafe()
        sleeper = undefined
        const next = heap.nextAt()
        if (!Number.isFinite(next)) return
        const wake = Effect.sync(() => {
          if (time.isFrozen) return
          sleeper = undefined
          fireDue()
          sleepUntilNext()
        })
        sleeper = fork(Effect.andThen(baseClock.sleep(Duration.millis(Math.max(0, next - now()))), wake))
      }
      const add: TimersShape["plan"] = (timer, at) => {
        const isNext = at < heap.nextAt()
        heap.add(at, timer)
        if (isNext) sleepUntilNext()
      }
      const at = (timeMs: number, callback: () => void) => {
        const timer = new Call(callback)
        add(timer, timeMs)
        return timer
      }
      const timers: TimersShape = {
        now,
        at,
        after: (delayMs, callback) => at(now() + Math.max(0, delayMs), callback),
        plan: add,
        cancel: (timer) => heap.cancel(timer),
        soon: (callback) => void resolvedPromise.then(callback).catch(handleTimerError),
        handleError
      }
      const turn = Semaphore.makeUnsafe(1)
      const advance: ClockControl["advance"] = (duration, settle) =>
        Effect.gen(function* () {
          const endMs = now() + Duration.toMillis(duration)
          time.freezeAt(now())
          yield* settle
          for (;;) {
            time.freezeAt(Math.min(heap.nextAt(), endMs))
            fireDue()
            yield* settle
            if (now() >= endMs && heap.nextAt() > endMs) return
          }
        }).pipe(
          Effect.ensuring(
            Effect.sync(() => {
              time.thaw()
              sleepUntilNext()
            })
          ),
          turn.withPermits(1)
        )
      yield* Effect.addFinalizer(() => Effect.sync(() => sleeper?.interruptUnsafe()))
      return Context.make(Timers, timers).pipe(
        Context.add(Clock.Clock, makeClock(timers, timers.cancel)),
        Context.add(AdvanceableClock, { advance })
      )
    })
  )
}
