import { it } from "@effect/vitest"
import * as Clock from "effect/Clock"
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
