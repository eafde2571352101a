import { assert, describe, it } from "@effect/vitest"
import { makeVirtualTime } from "@rollcall/time"
import * as Exit from "effect/Exit"
import { makeQueueLoop } from "../../src/lifecycle/QueueLoop.ts"
import type { Zones } from "../../src/lifecycle/Zones.ts"

describe("a queue loop", () => {
  it("ends with what is thrown while it waits: whoever runs it hears of it, and begins it anew", () => {
    const { fork, runUntil, timers } = makeVirtualTime(0)
    let looks = 0
    const zones = {
      all: () => {
        looks++
        if (looks === 4) throw new Error("by hand")
        return []
      }
    } as unknown as Zones
    const { loop } = makeQueueLoop({ timers, zones, queueOf: () => undefined, act: () => assert.fail() })
    const fiber = fork(loop(100))
    runUntil(1000)
    const exit = fiber.pollUnsafe()
    assert.isTrue(exit !== undefined && Exit.isFailure(exit))
    assert.strictEqual(looks, 4)
  })
})
