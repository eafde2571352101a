import { rngFor } from "@rollcall/time"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { shuffled } from "../src/shuffled.ts"

const firstNumbers = (count: number, seed: number, purpose: string) => {
  const chance = rngFor(seed, purpose)
  return Array.from({ length: count }, chance)
}

describe("seeded random numbers", () => {
  it("are the same for the same seed and purpose, and differ for others", () => {
    assert.deepStrictEqual(firstNumbers(20, 7, "link a-0"), firstNumbers(20, 7, "link a-0"))
    assert.notDeepEqual(firstNumbers(20, 7, "link a-0"), firstNumbers(20, 8, "link a-0"))
    assert.notDeepEqual(firstNumbers(20, 7, "link a-0"), firstNumbers(20, 7, "link a-1"))
  })

  it("never change: a recorded seed gives the same numbers", () => {
    assert.deepStrictEqual(
      firstNumbers(3, 7, "link a-0").map((value) => Math.round(value * 1e9)),
      [185_571_388, 994_882_592, 457_018_233]
    )
  })

  it("are in [0, 1) and evenly distributed", () => {
    const tenths = new Array<number>(10).fill(0)
    for (const value of firstNumbers(10_000, 1, "x")) {
      assert.isTrue(value >= 0 && value < 1)
      const tenth = Math.floor(value * 10)
      tenths[tenth] = (tenths[tenth] ?? 0) + 1
    }
    for (const count of tenths) assert.isTrue(count > 850 && count < 1150, tenths.join(" "))
  })

  it("shuffle a list to a permutation, without changing the list", () => {
    fc.assert(
      fc.property(fc.array(fc.integer()), fc.integer(), (items, seed) => {
        const before = [...items]
        const mixed = shuffled(items, rngFor(seed, "x"))
        assert.deepStrictEqual(items, before)
        const ascending = (a: number, b: number) => a - b
        assert.deepStrictEqual(mixed.toSorted(ascending), before.toSorted(ascending))
      })
    )
  })
})
