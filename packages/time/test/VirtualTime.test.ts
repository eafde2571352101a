import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Queue from "effect/Queue"
import { assert, describe, it } from "vitest"
import { makeVirtualTime, Timers } from "../src/index.ts"

describe("VirtualTime", () => {
  it("runs timers in order and moves the clock only with them", () => {
    const time = makeVirtualTime(1_000)
    const seen: Array<readonly [string, number]> = []
    const note = (name: string) => () => {
      seen.push([name, time.timers.now()])
    }
    time.timers.after(20, note("c"))
    time.timers.after(10, () => {
      note("a")()
      time.timers.soon(note("soon"))
      time.timers.after(0, note("at once"))
      time.timers.at(0, note("the past is now"))
    })
    const cancelled = time.timers.after(15, note("never"))
    time.timers.after(10, note("b"))
    time.timers.cancel(cancelled)
    time.runUntil(1_019.999)
    assert.deepStrictEqual(seen, [
      ["a", 1_010],
      ["soon", 1_010],
      ["b", 1_010],
      ["at once", 1_010],
      ["the past is now", 1_010]
    ])
    assert.strictEqual(time.timers.now(), 1_019.999)
    time.runUntil(1_020)
    assert.deepStrictEqual(seen.at(-1), ["c", 1_020])
  })

  it("gives Effect's sleep, Clock and the Timers one order", () => {
    const time = makeVirtualTime(0)
    const seen: Array<string> = []
    time.timers.after(1_000, () => seen.push("timer"))
    const exit = time.run(
      Effect.gen(function* () {
        const timers = yield* Timers
        yield* Effect.sleep("1 second")
        seen.push(`slept until ${yield* Clock.currentTimeMillis}`)
        assert.strictEqual(timers.now(), 1_000)
        yield* Effect.sleep("1 hour")
        return yield* Clock.currentTimeMillis
      })
    )
    assert.deepStrictEqual(seen, ["timer", "slept until 1000"])
    assert.deepStrictEqual(exit, Exit.succeed(3_601_000))
  })

  it("wakes fibers that wait for each other before time advances", () => {
    const time = makeVirtualTime(0)
    const exit = time.run(
      Effect.gen(function* () {
        const queue = yield* Queue.unbounded<number>()
        const consumer = yield* Effect.forkChild(Effect.all([Queue.take(queue), Queue.take(queue)]))
        yield* Queue.offer(queue, 1)
        yield* Effect.sleep(5)
        yield* Queue.offer(queue, 2)
        const taken = yield* Fiber.join(consumer)
        return { taken, at: yield* Clock.currentTimeMillis }
      })
    )
    assert.deepStrictEqual(exit, Exit.succeed({ taken: [1, 2] as [number, number], at: 5 }))
  })

  it("removes the timer of a sleeper that is interrupted", () => {
    const time = makeVirtualTime(0)
    const fiber = time.fork(Effect.sleep("1 day"))
    time.runUntil(1_000)
    assert.strictEqual(time.nextAt(), 86_400_000)
    time.fork(Fiber.interrupt(fiber))
    time.runUntil(2_000)
    assert.strictEqual(time.nextAt(), Number.POSITIVE_INFINITY)
  })

  it("fails when an effect waits for something that cannot happen", () => {
    const time = makeVirtualTime(0)
    assert.isTrue(Exit.isFailure(time.run(Effect.never)))
  })
})
