import { assert, describe, it } from "@effect/vitest"
import { layerWallClock } from "@rollcall/time"
import * as Effect from "effect/Effect"
import { failover, shortFailover } from "../../src/failover/failover.ts"

export const failoverScenario = () =>
  describe("kill -9 of the leading controller manager during an outage", () => {
    it.live(
      "lets the other lead: no pod is evicted twice, and none is left out",
      () =>
        Effect.gen(function* () {
          const { after, before, notEvicted, leaders, wronglyEvicted } = yield* failover(shortFailover)
          assert.deepStrictEqual({ notEvicted, wronglyEvicted }, { notEvicted: [], wronglyEvicted: [] })
          assert.isAtLeast(before.length, shortFailover.killAfter)
          assert.strictEqual(before.length + after.length, 12)
          assert.isNotEmpty(after)
          assert.notStrictEqual(leaders[0], leaders[1])
        }).pipe(Effect.provide(layerWallClock())),
      240_000
    )
  })
