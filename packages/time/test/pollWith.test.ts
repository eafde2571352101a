import { assert, describe, it } from "@effect/vitest"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import { makeVirtualTime, pollWith } from "../src/index.ts"

describe("pollWith", () => {
  it("polls each period, first after one, until the result is true", () => {
    const { fork, runUntil, timers } = makeVirtualTime(0)
    const looks: Array<number> = []
    const look = () => {
      looks.push(timers.now())
      return looks.length === 3
    }
    const fiber = fork(pollWith(timers)(look, 100))
    runUntil(299)
    assert.deepStrictEqual(looks, [100, 200])
    assert.isUndefined(fiber.pollUnsafe())
    runUntil(1000)
    assert.deepStrictEqual(looks, [100, 200, 300])
    assert.isTrue(Exit.isSuccess(fiber.pollUnsafe() ?? Exit.die("still waiting")))
  })

  it("fails with what a poll throws", () => {
    const { fork, runUntil, timers } = makeVirtualTime(0)
    let looks = 0
    const look = () => {
      if (++looks === 4) throw new Error("by hand")
      return false
    }
    const fiber = fork(pollWith(timers)(look, 100))
    runUntil(1000)
    const exit = fiber.pollUnsafe()
    assert.isTrue(exit !== undefined && Exit.isFailure(exit))
    assert.strictEqual(looks, 4)
  })

  it("leaves no timer when it is interrupted", () => {
    const { fork, nextAt, run, runUntil, timers } = makeVirtualTime(0)
    const fiber = fork(pollWith(timers)(() => false, 100))
    runUntil(150)
    run(Fiber.interrupt(fiber))
    assert.strictEqual(nextAt(), Number.POSITIVE_INFINITY)
  })
})
