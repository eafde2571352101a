import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { assert, describe, it } from "vitest"
import { AdvanceableClock } from "../src/AdvanceableClock.ts"
import { Timers } from "../src/Timers.ts"

const run = <A>(test: Effect.Effect<A, never, AdvanceableClock | Timers>) =>
  Effect.runPromise(Effect.provide(test, AdvanceableClock.layer))

describe("AdvanceableClock", () => {
  it("fires timers and sleeps on the way in order, each at its own time", () =>
    run(
      Effect.gen(function* () {
        const { advance } = yield* AdvanceableClock
        const { after, now } = yield* Timers
        const startMs = now()
        const order: Array<readonly [string, number]> = []
        const record = (name: string) => order.push([name, Math.round((now() - startMs) / 1000)])
        after(50_000, () => record("callback"))
        after(10_000, () => {
          record("first")
          after(20_000, () => record("planned on the way"))
        })
        const sleeper = yield* Effect.forkChild(
          Effect.andThen(
            Effect.sleep("40 seconds"),
            Effect.sync(() => record("sleep"))
          )
        )
        yield* advance("1 minute", Effect.yieldNow)
        yield* Fiber.join(sleeper)
        assert.deepStrictEqual(order, [
          ["first", 10],
          ["planned on the way", 30],
          ["sleep", 40],
          ["callback", 50]
        ])
        assert.isAtLeast(now() - startMs, 60_000)
        assert.strictEqual(Math.floor(yield* Clock.currentTimeMillis), Math.floor(now()))
      })
    ))

  it("stands still while what happened at an instant settles", () =>
    run(
      Effect.gen(function* () {
        const { advance } = yield* AdvanceableClock
        const { after, now } = yield* Timers
        const startMs = now()
        const instants: Array<number> = []
        let fired = 0
        after(1000, () => fired++)
        after(2000, () => fired++)
        yield* advance(
          3000,
          Effect.sync(() => instants.push(fired, Math.round(now() - startMs)))
        )
        assert.deepStrictEqual(instants.slice(-6), [1, 1000, 2, 2000, 2, 3000])
      })
    ))

  it("passes on its own, too, and one advance waits for another", () =>
    run(
      Effect.gen(function* () {
        const { advance } = yield* AdvanceableClock
        const { now } = yield* Timers
        const startMs = now()
        yield* Effect.all([advance(60_000, Effect.yieldNow), advance(60_000, Effect.yieldNow)], { concurrency: 2 })
        assert.isAtLeast(now() - startMs, 120_000)
        const passedMs = now()
        yield* Effect.sleep("5 millis")
        assert.isAtLeast(now() - passedMs, 5)
      })
    ))

  it("passes on after an advance that was interrupted", () =>
    run(
      Effect.gen(function* () {
        const { advance } = yield* AdvanceableClock
        const { after, now } = yield* Timers
        const startMs = now()
        after(1000, () => undefined)
        const advancing = yield* Effect.forkChild(advance(5000, Effect.never))
        yield* Effect.yieldNow
        yield* Fiber.interrupt(advancing)
        yield* Effect.sleep("1 millis")
        assert.isBelow(now() - startMs, 5000)
        yield* advance(5000, Effect.yieldNow)
        assert.isAtLeast(now() - startMs, 5000)
      })
    ))
})
