import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { SortedKeys } from "../src/index.ts"
import { endOfPrefix } from "../src/SortedKeys.ts"

const keysBetween = (keys: SortedKeys, lower: string, upper?: string) => {
  const seen: Array<string> = []
  keys.visit(lower, upper, (key) => seen.push(key) > 0)
  return seen
}

describe("SortedKeys", () => {
  it("is a sorted set, through splits and removals", () => {
    // Enough keys for several chunks: numbers, so that order of insertion and order of keys differ.
    fc.assert(
      fc.property(fc.array(fc.nat(5000), { maxLength: 3000 }), fc.nat(5000), fc.nat(5000), (numbers, from, to) => {
        const keys = new SortedKeys()
        const model = new Set<string>()
        for (const [index, number] of numbers.entries()) {
          const key = `k${number}`
          if (model.delete(key)) keys.delete(key)
          else {
            keys.add(key)
            model.add(key)
          }
          // Some changes are read at once, others together.
          if (index % 500 < 5) assert.deepStrictEqual(keysBetween(keys, ""), [...model].sort())
        }
        const sorted = [...model].sort()
        assert.strictEqual(keys.size, model.size)
        assert.deepStrictEqual(keysBetween(keys, ""), sorted)
        const [lower, upper] = [`k${from}`, `k${to}`]
        const expected = sorted.filter((key) => key >= lower && key < upper)
        assert.deepStrictEqual(keysBetween(keys, lower, upper), expected)
        assert.strictEqual(keys.countBetween(lower, upper), expected.length)
      }),
      { numRuns: 50 }
    )
  })

  it("stops when the visitor returns false", () => {
    const keys = new SortedKeys()
    for (let n = 0; n < 2000; n++) keys.add(String(n).padStart(4, "0"))
    const seen: Array<string> = []
    keys.visit("0100", undefined, (key) => seen.push(key) < 3)
    assert.deepStrictEqual(seen, ["0100", "0101", "0102"])
  })
})

describe("endOfPrefix", () => {
  it("is the least string above all that have the prefix", () => {
    assert.strictEqual(endOfPrefix("/a/"), "/a0")
    assert.strictEqual(endOfPrefix("a\uffff"), "b")
    assert.strictEqual(endOfPrefix(""), undefined)
    assert.strictEqual(endOfPrefix("\uffff"), undefined)
  })
})
