import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { layerWallClock } from "@rollcall/time"
import * as Effect from "effect/Effect"
import { tableOf } from "../src/outage/compare.ts"
import { outageRehearsedAndLive } from "../src/outage/rehearsedAndLive.ts"
import { shortOutage } from "../src/outage/scenario.ts"

describe("a zone outage", () => {
  it.live(
    "has the same events of the same nodes and pods, in the same order, in three processes as in the rehearsal",
    () =>
      Effect.gen(function* () {
        const comparison = yield* outageRehearsedAndLive(shortOutage, 4)
        const { inOneRun, rows, swapped } = comparison
        assert.isAbove(rows.length, 50)
        assert.deepStrictEqual(inOneRun, [], tableOf(comparison))
        assert.deepStrictEqual(swapped, [], tableOf(comparison))
      }).pipe(Effect.scoped, Effect.provide([NodeServices.layer, layerWallClock()])),
    300_000
  )
})
