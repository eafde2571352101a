import { assert, describe, it } from "@effect/vitest"
import { layerWallClock } from "@rollcall/time"
import * as Effect from "effect/Effect"
import { failover, shortFailover } from "../src/failover/failover.ts"

describe("kill -9 of the leading controller manager in mid-outage", () => {
  it.live(
    "lets the other take over: no pod is evicted twice, none is forgotten",
    () =>
      Effect.gen(function* () {
        const { after, before, forgotten, leaders, tookMs, wronged } = yield* failover(shortFailover)
        assert.deepStrictEqual({ forgotten, wronged }, { forgotten: [], wronged: [] })
        assert.isAtLeast(before.length, shortFailover.killAfter)
        assert.strictEqual(before.length + after.length, 12)
        assert.isNotEmpty(after)
        assert.notStrictEqual(leaders[0], leaders[1])
        // The Lease runs out, and is looked at no later than 2.2 retry periods after that; a busy machine takes its time.
        assert.isBelow(tookMs, 1000 * (shortFailover.leaseSeconds + 2.2 * shortFailover.retrySeconds) + 5000)
      }).pipe(Effect.provide(layerWallClock())),
    120_000
  )
})
