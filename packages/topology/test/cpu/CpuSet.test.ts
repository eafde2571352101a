import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { CpuSet, parseCpuSet } from "../../src/index.ts"
import { cpus } from "./pods.ts"

const ids = fc.uniqueArray(fc.nat(300), { maxLength: 60 })
const sets = ids.map((list) => CpuSet.of(list))

describe("CpuSet", () => {
  it("prints runs of ids", () => {
    assert.strictEqual(CpuSet.of([11, 8, 0, 3, 1, 2, 10]).toString(), "0-3,8,10-11")
    assert.strictEqual(CpuSet.empty.toString(), "")
    assert.strictEqual(JSON.stringify({ cpus: CpuSet.of([4, 5]) }), '{"cpus":"4-5"}')
  })

  it("reads overlapping and unsorted ranges", () => {
    assert.deepStrictEqual(cpus("5,1-3,2-4,4-4").ids, [1, 2, 3, 4, 5])
  })

  it("refuses what upstream refuses, with its errors", () => {
    const complaints: ReadonlyArray<readonly [text: string, complaint: string]> = [
      ["5-3", 'invalid range "5-3" (5 > 3)'],
      ["a", 'strconv.Atoi: parsing "a": invalid syntax'],
      ["1,", 'strconv.Atoi: parsing "": invalid syntax'],
      ["-1", 'strconv.Atoi: parsing "": invalid syntax'],
      ["1--2", 'invalid range "1--2" (1 > -2)'],
      ["0-3, 5", 'strconv.Atoi: parsing " 5": invalid syntax'],
      ["1-2-3", 'strconv.Atoi: parsing "2-3": invalid syntax'],
      ["0-99999999999999999999", 'strconv.Atoi: parsing "99999999999999999999": value out of range']
    ]
    for (const [text, complaint] of complaints) assert.deepStrictEqual(parseCpuSet(text), Result.fail(complaint))
  })

  it("reads ids up to 8191, the most that Linux counts", () => {
    assert.deepStrictEqual(cpus("8190-8191").ids, [8190, 8191])
    assert.deepStrictEqual(parseCpuSet("8192"), Result.fail('strconv.Atoi: parsing "8192": value out of range'))
  })

  it("equals a set of the same ids", () => {
    assert.isTrue(cpus("1-3").equals(CpuSet.of([3, 2, 1])))
    assert.isFalse(cpus("1-3").equals(cpus("1-2,4")))
    assert.isFalse(cpus("1-3").equals(cpus("1-2")))
    assert.isFalse(cpus("1-2").equals(cpus("1-3")))
  })

  it("parses its own output", () => {
    fc.assert(fc.property(sets, (set) => assert.deepStrictEqual(cpus(set.toString()).ids, set.ids)))
  })

  it("agrees with sets of numbers", () => {
    fc.assert(
      fc.property(ids, ids, (a, b) => {
        const [left, right] = [CpuSet.of(a), CpuSet.of(b)]
        const expected = (list: ReadonlyArray<number>) => [...new Set(list)].sort((x, y) => x - y)
        assert.deepStrictEqual(left.union(right).ids, expected([...a, ...b]))
        assert.deepStrictEqual(left.intersection(right).ids, expected(a.filter((id) => b.includes(id))))
        assert.deepStrictEqual(left.difference(right).ids, expected(a.filter((id) => !b.includes(id))))
        assert.strictEqual(
          left.isSubsetOf(right),
          a.every((id) => b.includes(id))
        )
        assert.isTrue(left.difference(right).union(left.intersection(right)).equals(left))
      })
    )
  })
})
