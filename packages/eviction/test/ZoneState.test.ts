import { assert, describe, it } from "vitest"
import { computeZoneState, countsAsReady, defaultDisruptionFlags, rateOf } from "../src/rules.ts"
import { zoneHealth } from "../src/ZoneState.ts"

const stateOf = (ready: number, notReady: number) => computeZoneState({ ready, notReady }, 0.55)

describe("the state of a zone", () => {
  it("counts a member as ready whose Ready is exactly True", () => {
    assert.deepStrictEqual(["True", "False", "Unknown", "true", null, undefined].map(countsAsReady), [
      true,
      false,
      false,
      false,
      false,
      false
    ])
  })

  it("is a full disruption when the zone has members and none is ready", () => {
    assert.strictEqual(stateOf(0, 0), "Normal")
    assert.strictEqual(stateOf(0, 1), "FullDisruption")
    assert.strictEqual(stateOf(1, 1), "Normal")
  })

  it("is a partial disruption from three members and the threshold on", () => {
    assert.strictEqual(stateOf(1, 2), "Normal")
    assert.strictEqual(stateOf(1, 3), "PartialDisruption")
    assert.strictEqual(stateOf(9, 11), "PartialDisruption")
    assert.strictEqual(stateOf(10, 11), "Normal")
  })
})

describe("the rate of a zone", () => {
  const flags = { ...defaultDisruptionFlags, largeClusterSizeThreshold: 50 }

  it("keeps its current value in state Initial", () => assert.isUndefined(rateOf("Initial", 100, flags)))

  it("is the normal rate, or the secondary rate or 0 in a partly disrupted zone", () => {
    assert.strictEqual(rateOf("Normal", 10, flags), 0.1)
    assert.strictEqual(rateOf("FullDisruption", 10, flags), 0.1)
    assert.strictEqual(rateOf("PartialDisruption", 51, flags), 0.01)
    assert.strictEqual(rateOf("PartialDisruption", 50, flags), 0)
  })
})

describe("zoneHealth", () => {
  it("is the zone's size, the percentage of ready members, and the number not ready", () => {
    assert.deepStrictEqual(zoneHealth({ ready: 1, notReady: 3 }), { size: 4, health: 25, notReady: 3 })
    assert.deepStrictEqual(zoneHealth({ ready: 0, notReady: 2 }), { size: 2, health: 0, notReady: 2 })
  })

  it("is 100 % for a zone without members", () => {
    assert.deepStrictEqual(zoneHealth({ ready: 0, notReady: 0 }), { size: 0, health: 100, notReady: 0 })
  })
})
