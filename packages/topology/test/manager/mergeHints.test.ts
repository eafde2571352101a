import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import type { NumaMask, TopologyHint } from "../../src/index.ts"
import { flattenHints, mergeLists } from "../../src/manager/mergeHints.ts"
import { topologyPolicyNames } from "../../src/manager/policies.ts"
import { isNarrower, maskCount } from "../../src/masks.ts"
import { betterHint, closest, type Fitter, type MergedHint, maskOf, mergeOf, narrowest } from "../../src/rules.ts"
import { machineOf } from "../fixtures.ts"

type Lists = ReadonlyArray<ReadonlyArray<TopologyHint>>

const machine = maskOf([0, 1, 2, 3])
const distances = new Map(machineOf(4).numaNodes.map(({ distances = [], id }) => [id, distances]))

/** As the specification says it: every combination, one after the other. */
const mergeByProduct = (lists: Lists, fitter: Fitter): MergedHint => {
  let bound = 0
  for (const list of lists) {
    const masks = list.flatMap(({ mask }) => (mask === undefined ? [] : [mask]))
    const [first, ...others] = masks
    if (first !== undefined) {
      bound = Math.max(
        bound,
        maskCount(others.reduce((least, mask) => (isNarrower(mask, least) ? mask : least), first))
      )
    }
  }
  let best: MergedHint | undefined
  const walk = (index: number, chosen: ReadonlyArray<TopologyHint>): void => {
    const list = lists[index]
    if (list !== undefined) {
      for (const hint of list) walk(index + 1, [...chosen, hint])
      return
    }
    const masks = chosen.flatMap(({ mask }) => (mask === undefined ? [] : [mask]))
    const preferred = chosen.every((hint) => hint.preferred) && masks.every((mask) => mask === masks[0])
    const shared = masks.reduce<NumaMask>((sum, mask) => sum & mask, machine)
    best = betterHint(fitter, bound, best, { mask: shared, preferred })
  }
  walk(0, [])
  return best ?? { mask: machine, preferred: false }
}

// Node 5 is none of the machine's.
const hint: fc.Arbitrary<TopologyHint> = fc.record({
  mask: fc.option(fc.uniqueArray(fc.constantFrom(0, 1, 2, 3, 5), { maxLength: 4 }).map(maskOf), {
    nil: undefined,
    freq: 5
  }),
  preferred: fc.boolean()
})
const lists: fc.Arbitrary<Lists> = fc.array(fc.array(hint, { maxLength: 5 }), { maxLength: 4 })
const answers = fc.array(
  fc.option(fc.dictionary(fc.constantFrom("a", "b"), fc.option(fc.array(hint, { maxLength: 4 }))), { freq: 6 }),
  { maxLength: 4 }
)

describe("merging hints", () => {
  it("equals the best of the whole product of the lists", () => {
    for (const fitter of [narrowest, closest(distances)]) {
      fc.assert(
        fc.property(lists, (given) =>
          assert.deepStrictEqual(mergeLists(given, machine, fitter), mergeByProduct(given, fitter))
        ),
        { numRuns: 500 }
      )
    }
  })

  it("does not depend on the order of providers, nor of their hints", () => {
    fc.assert(
      fc.property(answers, fc.constantFrom(...topologyPolicyNames), (given, policy) => {
        const merge = mergeOf(policy, machine, narrowest)
        const reversed = given
          .map((lists) =>
            lists === null
              ? null
              : Object.fromEntries(
                  Object.entries(lists).map(([resource, list]) => [
                    resource,
                    list === null ? null : [...list].reverse()
                  ])
                )
          )
          .reverse()
        assert.deepStrictEqual(merge(reversed), merge(given))
      })
    )
  })

  it("never prefers hints that providers do not agree on", () => {
    fc.assert(
      fc.property(answers, (given) => {
        const { hint: merged } = mergeOf("restricted", machine, narrowest)(given)
        if (!merged.preferred) return
        const lists = flattenHints(given)
        const named = new Set(lists.flat().flatMap(({ mask }) => (mask === undefined ? [] : [mask])))
        const agreed = [machine, ...named].filter((mask) => (mask & machine) === merged.mask)
        const accepts = (list: Lists[number], mask: NumaMask) =>
          list.some((hint) => hint.preferred && (hint.mask === undefined || hint.mask === mask))
        assert.isTrue(agreed.some((mask) => lists.every((list) => accepts(list, mask))))
      })
    )
  })

  it("distinguishes no hints, an empty list and a hint without nodes", () => {
    const [free, stuck] = [
      { mask: undefined, preferred: true },
      { mask: undefined, preferred: false }
    ]
    assert.deepStrictEqual(flattenHints([null, {}, { gpu: null }, { gpu: [] }]), [[free], [free], [free], [stuck]])
    const restricted = mergeOf("restricted", machine, narrowest)
    assert.isTrue(restricted([null, {}, { gpu: null }]).admit)
    assert.isFalse(restricted([{ gpu: [] }]).admit)
    assert.isTrue(mergeOf("best-effort", machine, narrowest)([{ gpu: [] }]).admit)
  })

  it("merges three resources that fit on all 255 sets of 8 nodes at once", () => {
    const nodes = [0, 1, 2, 3, 4, 5, 6, 7]
    const all = Array.from({ length: 255 }, (_, index) => ({ mask: BigInt(index + 1), preferred: index === 254 }))
    const merged = mergeLists([all, all, all], maskOf(nodes), narrowest)
    assert.deepStrictEqual(merged, { mask: 255n, preferred: true })
  })
})
