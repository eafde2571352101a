import { it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { assert, describe } from "vitest"
import { layerWallClock, Timers } from "../src/index.ts"

describe("layerWallClock", () => {
  it.effect("fires in order, once, and not after cancel", () =>
    Effect.gen(function* () {
      const timers = yield* Timers
      const seen: Array<string> = []
      const first = yield* Effect.callback<string>((resume) => {
        timers.after(30, () => {
          seen.push("30")
          resume(Effect.succeed(seen.join()))
        })
        timers.after(10, () => seen.push("10"))
        const cancelled = timers.after(20, () => seen.push("20"))
        timers.cancel(cancelled)
        timers.soon(() => seen.push("soon"))
      })
      assert.strictEqual(first, "soon,10,30")
    }).pipe(Effect.provide(layerWallClock()), TestClock.withLive)
  )

  it.effect("leaves time for others when callbacks plan others at once, and take longer than that", () =>
    Effect.gen(function* () {
      const real = yield* Clock.Clock
      let passed = 0n
      const busy: Clock.Clock = {
        ...real,
        currentTimeMillisUnsafe: () => 0,
        monotonicTimeNanosUnsafe: () => passed,
        sleep: () => Effect.yieldNow
      }
      yield* Effect.gen(function* () {
        const timers = yield* Timers
        let fired = 0
        const again = () => {
          fired++
          passed += 2_000_000n
          if (fired < 1000) timers.after(1, again)
        }
        timers.after(0, again)
        timers.after(0, again)
        while (fired === 0) yield* Effect.yieldNow
        assert.isBelow(fired, 10)
      }).pipe(Effect.provide(layerWallClock()), Effect.provideService(Clock.Clock, busy))
    }).pipe(TestClock.withLive)
  )

  it.effect("starts at a given time", () =>
    Effect.gen(function* () {
      const { now } = yield* Timers
      const begunMs = now()
      assert.isAtLeast(begunMs, 5_000)
      // Not where the machine's clock is.
      assert.isBelow(begunMs, Date.UTC(2020, 0, 1))
    }).pipe(Effect.provide(layerWallClock({ startMs: 5_000 })), TestClock.withLive)
  )

  it.effect("is steady when the machine's clock is set, in both directions", () =>
    Effect.gen(function* () {
      const real = yield* Clock.Clock
      let jumpMs = 0
      const set: Clock.Clock = {
        ...real,
        currentTimeMillisUnsafe: () => real.currentTimeMillisUnsafe() + jumpMs,
        monotonicTimeNanosUnsafe: () => real.monotonicTimeNanosUnsafe(),
        sleep: (duration) => real.sleep(duration)
      }
      yield* Effect.gen(function* () {
        const timers = yield* Timers
        const start = timers.now()
        for (const days of [400, -400]) {
          const rang = Effect.callback<void>((resume) => {
            timers.after(5, () => resume(Effect.void))
          })
          jumpMs = days * 86_400_000
          yield* rang
          assert.isAtLeast(timers.now(), start + 5)
          assert.isBelow(timers.now(), start + 86_400_000)
        }
      }).pipe(Effect.provide(layerWallClock()), Effect.provideService(Clock.Clock, set))
    }).pipe(TestClock.withLive)
  )

  it.effect("never ends a sleep early, when a timer of the machine fires early", () =>
    Effect.gen(function* () {
      let nanos = 0n
      let sleeps = 0
      const early: Clock.Clock = {
        ...(yield* Clock.Clock),
        monotonicTimeNanosUnsafe: () => nanos,
        sleep: (duration) =>
          Effect.sync(() => {
            sleeps++
            nanos += BigInt(Math.max(1, Math.ceil(Duration.toMillis(duration) * 0.9 * 1e6)))
          })
      }
      yield* Effect.gen(function* () {
        const { now } = yield* Timers
        const before = now()
        yield* Effect.sleep("10 seconds")
        assert.isAtLeast(now(), before + 10_000)
        assert.isAbove(sleeps, 1)
      }).pipe(Effect.provide(layerWallClock({ speed: 1_000 })), Effect.provideService(Clock.Clock, early))
    })
  )

  it.effect("with a speed, its clock and timers run that much faster than the clock below", () =>
    Effect.gen(function* () {
      const below = yield* Clock.Clock
      const start = below.currentTimeMillisUnsafe()
      const passed = yield* Effect.gen(function* () {
        const timers = yield* Timers
        const from = timers.now()
        yield* Effect.callback<void>((resume) => {
          timers.after(60_000, () => resume(Effect.void))
        })
        yield* Effect.sleep("1 minute")
        return timers.now() - from
      }).pipe(Effect.provide(layerWallClock({ speed: 2_000 })))
      assert.isAtLeast(passed, 120_000)
      assert.isAtLeast(below.currentTimeMillisUnsafe() - start, 59)
    }).pipe(TestClock.withLive)
  )
})
