import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { startTestManager, twoPeriods } from "./startTestManager.ts"

const operations = ["activePods", "kill", "volumesUnmounted", "syncNodeStatus", "nodeEvent"] as const

describe("a shutdown manager", () => {
  for (const operation of operations) {
    it(`survives a throw of ${operation}: it releases the lock and handles the next signal`, () => {
      let faulty = true
      const testNode = startTestManager({
        config: twoPeriods(30, 10),
        pods: [
          { name: "odd", grace: 30, stopsAfter: 4 },
          { name: "web", grace: 30, stopsAfter: 7 }
        ],
        strike: (struck, pod) => {
          if (faulty && struck === operation && pod !== "web") throw new Error("by hand")
        }
      })
      testNode.signal(5, true)
      testNode.to(60)
      const told = testNode.logs.filter((line) => line === "Error Unhandled error")
      assert.strictEqual(told.length, operation === "kill" ? 1 : operation === "volumesUnmounted" ? 1 : told.length)
      assert.isAbove(told.length, 0)
      const isBefore = operation === "nodeEvent"
      // A failed signal before the kill phase keeps the lock until its timeout.
      assert.strictEqual(testNode.logind.locksHeld(), isBefore ? 1 : 0)
      if (operation === "kill")
        assert.deepStrictEqual(
          testNode.kills.map(({ pod }) => pod),
          ["web"]
        )
      testNode.signal(70, false)
      faulty = false
      testNode.signal(80, false)
      testNode.signal(90, true)
      testNode.to(200)
      assert.strictEqual(testNode.trace.at(-1)?.type, "finished")
      assert.strictEqual(testNode.logind.locksHeld(), 0)
    })
  }
})

describe("the connection of a shutdown manager", () => {
  for (const [what, tries] of [
    ["that cannot be re-established because something throws", 3],
    ["that is re-established at once", 0]
  ] as const) {
    it(`${what} is retried every second, even if its observer throws`, () => {
      let isDown = false
      let left: number = tries
      const testNode = startTestManager({
        config: twoPeriods(30, 10),
        inhibitor: (modelled) => ({
          connect: Effect.suspend(() => {
            if (isDown && left-- > 0) throw new Error("by hand")
            return modelled.connect
          })
        }),
        watched: ({ type }) => {
          if (type === "lost") throw new Error("observer")
        }
      })
      isDown = true
      testNode.logind.stopBus()
      testNode.logind.startBus()
      testNode.to(10)
      assert.lengthOf(
        testNode.logs.filter((line) => line === "Error Unhandled error"),
        tries + 1
      )
      testNode.signal(20, true)
      testNode.to(60)
      assert.strictEqual(testNode.trace.at(-1)?.type, "finished")
    })
  }
})
