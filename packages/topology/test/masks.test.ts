import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { isNarrower, maskCount, maskHas, masksOver, maskWithin } from "../src/masks.ts"
import { maskIds, maskOf } from "../src/rules.ts"

const ids = fc.uniqueArray(fc.nat(63), { maxLength: 10 })
const ascending = (list: ReadonlyArray<number>) => [...list].sort((a, b) => a - b)

describe("NUMA masks", () => {
  it("are enumerated by size, then in the order of the list", () => {
    assert.deepStrictEqual(masksOver([0, 1, 2]).map(maskIds), [[0], [1], [2], [0, 1], [0, 2], [1, 2], [0, 1, 2]])
    assert.deepStrictEqual(masksOver([40, 5]).map(maskIds), [[40], [5], [5, 40]])
    assert.deepStrictEqual(masksOver([]), [])
  })

  it("hold every id from 0 to 63", () => {
    fc.assert(
      fc.property(ids, (list) => {
        const mask = maskOf(list)
        assert.deepStrictEqual(maskIds(mask), ascending(list))
        assert.strictEqual(maskCount(mask), list.length)
        for (let id = 0; id < 64; id++) assert.strictEqual(maskHas(mask, id), list.includes(id))
      })
    )
    assert.strictEqual(maskCount(maskOf(Array.from({ length: 64 }, (_, id) => id))), 64)
    assert.deepStrictEqual(maskIds(maskOf([-1, 64, 3])), [3])
  })

  it("are narrower with fewer nodes, else with lower IDs: a strict order", () => {
    assert.isTrue(isNarrower(maskOf([63]), maskOf([0, 1])))
    assert.isTrue(isNarrower(maskOf([0, 2]), maskOf([1, 2])))
    fc.assert(
      fc.property(ids, ids, (a, b) => {
        const [x, y] = [maskOf(a), maskOf(b)]
        assert.strictEqual(isNarrower(x, y) || isNarrower(y, x), x !== y)
        assert.isFalse(isNarrower(x, y) && isNarrower(y, x))
        assert.strictEqual(
          maskWithin(x, y),
          a.every((id) => b.includes(id))
        )
      })
    )
  })
})
