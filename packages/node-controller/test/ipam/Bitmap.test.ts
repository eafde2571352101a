import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { Bitmap } from "../../src/ipam/CidrSet.ts"

const LENGTH = 700

describe("a bitmap", () => {
  it("equals a set of numbers, however far apart they are", () => {
    const changes = fc.array(fc.record({ index: fc.nat(LENGTH), value: fc.boolean() }), { maxLength: 60 })
    fc.assert(
      fc.property(changes, (given) => {
        const [bits, model] = [new Bitmap(), new Set<number>()]
        for (const { index, value } of given) {
          assert.strictEqual(bits.set(index, value), model.has(index) !== value)
          if (value) model.add(index)
          else model.delete(index)
        }
        const all = Array.from({ length: LENGTH + 2 }, (_, index) => index)
        assert.deepStrictEqual(
          all.filter((index) => bits.get(index)),
          all.filter((index) => model.has(index))
        )
      })
    )
  })

  it("finds the first clear bit from anywhere on, past runs of set bits", () => {
    const runs = fc.array(fc.record({ from: fc.nat(LENGTH), length: fc.nat(100) }), { maxLength: 12 })
    fc.assert(
      fc.property(runs, fc.nat(LENGTH), fc.nat(LENGTH), (given, from, end) => {
        const [bits, model] = [new Bitmap(), new Set<number>()]
        for (const run of given) {
          for (let index = run.from; index < run.from + run.length; index++) {
            bits.set(index, true)
            model.add(index)
          }
        }
        let expected = from
        while (expected < end && model.has(expected)) expected++
        assert.strictEqual(bits.firstClear(from, end), Math.min(expected, end))
      })
    )
  })

  it("finds none where all before the end are set", () => {
    const bits = new Bitmap()
    for (let index = 0; index < 64; index++) bits.set(index, true)
    assert.deepStrictEqual([bits.firstClear(0, 64), bits.firstClear(0, 40), bits.firstClear(0, 65)], [64, 40, 64])
  })

  it("searches from the given bit on, not from the start of a word", () => {
    const bits = new Bitmap()
    for (const first of [0, 32_768]) for (let index = first; index < first + 32; index++) bits.set(index, true)
    assert.strictEqual(bits.firstClear(0, 65_536), 32)
  })
})
