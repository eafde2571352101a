import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { loggedErrors } from "./handledErrors.ts"
import { Call, type Timer, TimerHeap } from "./TimerHeap.ts"
import { Timers, type TimersShape } from "./Timers.ts"

/**
 * Timers and a matching Clock that run at `speed` times the underlying clock (2: a minute passes in thirty seconds), from
 * `startMs` on (default: the time of that clock). Over Effect's default Clock this is the wall clock. All callbacks wait in
 * one heap behind one sleep; one that throws is logged with the loggers of the layer's own context and counted.
 */
export const layerWallClock = (
  options: { readonly speed?: number; readonly startMs?: number } = {}
): Layer.Layer<Timers> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const speed = options.speed ?? 1
      const baseClock = yield* Clock.Clock
      const origin = options.startMs ?? baseClock.currentTimeMillisUnsafe()
      const originNanos = baseClock.monotonicTimeNanosUnsafe()
      const now = () => origin + (Number(baseClock.monotonicTimeNanosUnsafe() - originNanos) / 1e6) * speed
      const heap = new TimerHeap()
      const fork = Effect.runForkWith(yield* Effect.context<never>())
      const handleError = yield* loggedErrors
      const resolvedPromise = Promise.resolve()
      let sleeper: Fiber.Fiber<void> | undefined
      let sleepsUntil = Number.POSITIVE_INFINITY

      const handleTimerError = (error: unknown) => handleError("timer", error)
      const fireDue = () => {
        sleepsUntil = Number.POSITIVE_INFINITY
        sleeper = undefined
        // What becomes due meanwhile waits: callbacks that plan others at once would hold up everything else.
        const dueMs = now()
        while (heap.nextAt() <= dueMs) {
          try {
            heap.fireNext()
          } catch (error) {
            handleTimerError(error)
          }
        }
        sleepUntilNext()
      }
      const sleepUntilNext = () => {
        const next = heap.nextAt()
        if (next >= sleepsUntil) return
        if (sleeper !== undefined) sleeper.interruptUnsafe()
        sleepsUntil = next
        sleeper = fork(
          Effect.andThen(baseClock.sleep(Duration.millis(Math.max(0, (next - now()) / speed))), Effect.sync(fireDue))
        )
      }
      const add = (timer: Timer, at: number) => {
        heap.add(at, timer)
        sleepUntilNext()
      }
      const call = (at: number, callback: () => void): Timer => {
        const timer = new Call(callback)
        add(timer, at)
        return timer
      }
      yield* Effect.addFinalizer(() => (sleeper === undefined ? Effect.void : Fiber.interrupt(sleeper)))

      const timers: TimersShape = {
        now,
        at: call,
        after: (delayMs, callback) => call(now() + Math.max(0, delayMs), callback),
        plan: add,
        cancel: (timer) => heap.cancel(timer),
        soon: (callback) => void resolvedPromise.then(callback).catch(handleTimerError),
        handleError
      }
      const nanos = () => BigInt(Math.round(now() * 1e6))
      /** A timer of Node can fire a millisecond early, which is a second at 1,000 times the speed. */
      const sleepUntil = (due: number): Effect.Effect<void> =>
        Effect.suspend(() => {
          const leftMs = (due - now()) / speed
          return leftMs > 0 ? Effect.andThen(baseClock.sleep(Duration.millis(leftMs)), sleepUntil(due)) : Effect.void
        })
      const clock: Clock.Clock = {
        currentTimeMillisUnsafe: now,
        currentTimeMillis: Effect.sync(now),
        currentTimeNanosUnsafe: nanos,
        currentTimeNanos: Effect.sync(nanos),
        monotonicTimeNanosUnsafe: nanos,
        monotonicTimeNanos: Effect.sync(nanos),
        sleep: (duration) => {
          const ms = Duration.toMillis(duration)
          if (ms <= 0 || !Number.isFinite(ms)) return baseClock.sleep(duration)
          return Effect.suspend(() => sleepUntil(now() + ms))
        }
      }
      return Context.make(Timers, timers).pipe(Context.add(Clock.Clock, clock))
    })
  )
