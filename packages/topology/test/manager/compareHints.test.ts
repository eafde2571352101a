import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import type { NumaMask } from "../../src/index.ts"
import { averageDistance } from "../../src/manager/closest.ts"
import { maskCount } from "../../src/masks.ts"
import { betterHint, closest, type Fitter, type MergedHint, maskIds, maskOf, narrowest } from "../../src/rules.ts"

/** Two pairs of near nodes, 0 with 3 and 1 with 2; node 2 is a little nearer to 3 than to 0. */
const distances = new Map([
  [0, [10, 30, 31, 11]],
  [1, [30, 10, 11, 30]],
  [2, [31, 11, 10, 30]],
  [3, [11, 30, 30, 10]]
])

const notPreferredHint = (...ids: ReadonlyArray<number>): MergedHint => ({ mask: maskOf(ids), preferred: false })
const preferredHint = (...ids: ReadonlyArray<number>): MergedHint => ({ mask: maskOf(ids), preferred: true })

/** The best of candidates that come one after the other. */
const bestOf = (candidates: ReadonlyArray<MergedHint>, bound: number, fitter: Fitter = narrowest) =>
  candidates.reduce<MergedHint | undefined>((best, next) => betterHint(fitter, bound, best, next), undefined)

describe("the better of two hints", () => {
  it("is never one without nodes", () => {
    assert.isUndefined(bestOf([preferredHint()], 1))
    assert.deepStrictEqual(bestOf([notPreferredHint(1), preferredHint()], 1), notPreferredHint(1))
  })

  it("is the preferred one, however many nodes it has", () => {
    assert.deepStrictEqual(bestOf([notPreferredHint(0), preferredHint(0, 1, 2)], 1), preferredHint(0, 1, 2))
    assert.deepStrictEqual(bestOf([preferredHint(0, 1, 2), notPreferredHint(0)], 1), preferredHint(0, 1, 2))
    assert.deepStrictEqual(bestOf([preferredHint(1, 2), preferredHint(3)], 2), preferredHint(3))
  })

  it("has, where none is preferred, as many nodes as the most demanding resource needs; else fewer, else more", () => {
    const byRank = [
      notPreferredHint(1, 2),
      notPreferredHint(3),
      notPreferredHint(0, 1, 2),
      notPreferredHint(0, 1, 2, 3)
    ]
    for (const [index, better] of byRank.entries()) {
      for (const worse of byRank.slice(index + 1)) {
        assert.strictEqual(bestOf([better, worse], 2), better)
        assert.strictEqual(bestOf([worse, better], 2), better)
      }
    }
    assert.deepStrictEqual(
      bestOf([notPreferredHint(0), notPreferredHint(1, 2), notPreferredHint(0, 1, 2, 3)], 3),
      notPreferredHint(1, 2)
    )
    assert.deepStrictEqual(bestOf([notPreferredHint(1, 2), notPreferredHint(0, 3)], 2), notPreferredHint(1, 2))
  })

  it("does not depend on the order of the candidates", () => {
    const hint = fc.record({
      mask: fc.subarray([0, 1, 2, 3]).map(maskOf),
      preferred: fc.boolean()
    })
    const rank = (bound: number, far: (mask: NumaMask) => number) => (one: MergedHint) => {
      const count = maskCount(one.mask)
      // Beyond the bound the fewest, below it the most.
      const size = one.preferred ? count : count === bound ? -100 : count < bound ? -count : count
      return [one.preferred ? 0 : 1, size, far(one.mask), Number(one.mask)]
    }
    const before = (a: ReadonlyArray<number>, b: ReadonlyArray<number>) => {
      const at = a.findIndex((value, index) => value !== b[index])
      return at < 0 ? 0 : (a[at] ?? 0) - (b[at] ?? 0)
    }
    for (const [fitter, far] of [
      [narrowest, () => 0],
      [closest(distances), (mask: NumaMask) => averageDistance(distances, mask)]
    ] as const) {
      fc.assert(
        fc.property(fc.array(hint, { maxLength: 6 }), fc.integer({ min: 0, max: 4 }), (hints, bound) => {
          const ranked = rank(bound, far)
          const [first] = hints
            .filter(({ mask }) => mask !== 0n)
            .toSorted((left, right) => before(ranked(left), ranked(right)))
          assert.deepStrictEqual(bestOf(hints, bound, fitter), first)
        }),
        { numRuns: 500 }
      )
    }
  })
})

describe("the distance of nodes", () => {
  const chosen = (a: ReadonlyArray<number>, b: ReadonlyArray<number>) =>
    maskIds(closest(distances)(maskOf(a), maskOf(b)))

  it("is the mean over all pairs, including each node with itself", () => {
    assert.strictEqual(averageDistance(distances, maskOf([])), 0)
    assert.strictEqual(averageDistance(distances, maskOf([2])), 10)
    assert.strictEqual(averageDistance(distances, maskOf([0, 3])), 10.5)
  })

  it("decides between sets of equal size, but never for more nodes than needed", () => {
    assert.deepStrictEqual(chosen([0, 1], [1, 2]), [1, 2])
    assert.deepStrictEqual(chosen([1, 2], [0, 1]), [1, 2])
    assert.deepStrictEqual(chosen([1, 2], [0]), [0])
    assert.deepStrictEqual(chosen([3], [1, 2]), [3])
  })

  it("leaves equal sets to the lower IDs", () => {
    assert.deepStrictEqual(chosen([1, 2], [0, 3]), [1, 2])
    assert.deepStrictEqual(chosen([0, 3], [1, 2]), [1, 2])
    assert.deepStrictEqual(chosen([3], [0]), [0])
  })
})
