import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import type { TraceEntry } from "@rollcall/simulator"
import { layerWallClock } from "@rollcall/time"
import * as Effect from "effect/Effect"
import { compareOutages, momentsOf, tableOf } from "../src/outage/compare.ts"
import { shortOutage } from "../src/outage/scenario.ts"
import { outageInTwoWorlds } from "../src/outage/twoWorlds.ts"

describe("a zone outage", () => {
  it.live(
    "comes to the same in three processes as in the rehearsal: the same nodes, the same pods, in the same order",
    () =>
      Effect.gen(function* () {
        const comparison = yield* outageInTwoWorlds(shortOutage)
        const { alone, largestSeconds, rows, swapped } = comparison
        assert.isAbove(rows.length, 80)
        assert.deepStrictEqual(alone, [], tableOf(comparison))
        assert.deepStrictEqual(swapped, [], tableOf(comparison))
        // The command holds it to a second; here, other tests want the same processors.
        assert.isBelow(largestSeconds, 5, tableOf(comparison))
      }).pipe(Effect.scoped, Effect.provide([NodeServices.layer, layerWallClock()])),
    120_000
  )
})

describe("the comparison", () => {
  const ready = (node: string, at: number): TraceEntry => ({
    at,
    type: "ConditionChanged",
    node,
    condition: "Ready",
    from: "True",
    to: "Unknown",
    reason: "",
    message: ""
  })

  it("leaves out what came before the fault, and numbers what comes again", () => {
    const moments = momentsOf([ready("a", 1), ready("a", 5), ready("a", 7)], 4)
    assert.deepStrictEqual(moments, [
      { what: "node a: Ready True to Unknown", seconds: 1 },
      { what: "node a: Ready True to Unknown (2)", seconds: 3 }
    ])
  })

  it("tells what is missing, what is swapped, and by how much times differ", () => {
    const first = momentsOf([ready("a", 1), ready("b", 3), ready("c", 3.2)], 0)
    const same = compareOutages(first, momentsOf([ready("a", 1.5), ready("c", 3.1), ready("b", 3.4)], 0))
    assert.deepStrictEqual([same.alone.length, same.swapped.length, same.largestSeconds], [0, 0, 0.5])
    const other = compareOutages(first, momentsOf([ready("b", 3), ready("a", 4), ready("d", 5)], 0))
    assert.deepStrictEqual(
      other.alone.map(({ what }) => what[5]),
      ["c", "d"]
    )
    assert.strictEqual(other.swapped.length, 1)
  })
})
