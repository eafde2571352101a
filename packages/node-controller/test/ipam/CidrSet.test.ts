import * as Result from "effect/Result"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import type { IPRange } from "../../src/index.ts"
import { lastAddressOf, overlaps } from "../../src/ipam/IPRange.ts"
import { CidrSet, formatRange, parseRange } from "../../src/rules.ts"

const range = (text: string): IPRange => parseRange(text) ?? assert.fail(text)
const setOf = (cluster: string, nodeMaskSize: number): CidrSet =>
  Result.getOrThrow(CidrSet.make(range(cluster), nodeMaskSize))

describe("a range of addresses", () => {
  it("overlaps ranges inside it and around it, of its own family", () => {
    const related = (left: string, right: string) => [
      overlaps(range(left), range(right)),
      overlaps(range(right), range(left))
    ]
    assert.deepStrictEqual(related("10.0.0.0/8", "10.9.0.0/16"), [true, true])
    assert.deepStrictEqual(related("10.0.0.0/16", "10.1.0.0/16"), [false, false])
    assert.deepStrictEqual(related("0.0.0.0/0", "::/0"), [false, false])
    assert.deepStrictEqual(related("fd00::/8", "fd00::1/128"), [true, true])
  })

  it("ends where the next one begins", () => {
    assert.strictEqual(lastAddressOf(range("10.0.0.0/24")), range("10.0.1.0/24").base - 1n)
    assert.strictEqual(lastAddressOf(range("fd00::/64")), range("fd00:0:0:1::/64").base - 1n)
    assert.strictEqual(lastAddressOf(range("10.0.0.7/32")), range("10.0.0.7/32").base)
  })

  it("is written as Go writes it, without host bits", () => {
    for (const [given, expected] of [
      ["10.1.2.3/8", "10.0.0.0/8"],
      ["010.1.0.0/16", "10.1.0.0/16"],
      ["FD00:0:0:1:0:0:0:1/64", "fd00:0:0:1::/64"],
      ["2001:db8:0:1:1:1:1:1/48", "2001:db8::/48"],
      ["1:0:0:2:0:0:0:3/128", "1:0:0:2::3/128"],
      ["::/0", "::/0"],
      ["::ffff:10.1.2.3/120", "10.1.2.0/24"],
      ["::ffff:10.1.2.3/96", "0.0.0.0/0"],
      ["::ffff:10.1.2.3/95", "::fffe:0:0/95"],
      ["fd00::10.1.2.3/120", "fd00::a01:200/120"]
    ] as const) {
      assert.strictEqual(formatRange(range(given)), expected)
    }
  })

  it("is none where Kubernetes reads none", () => {
    for (const text of ["", "10.0.0.0", "10.0.0.0/33", "fd00::/129", "10.0.0/8", "a/8", "10.0.0.0/-1", "10.0.0.0/"]) {
      assert.isUndefined(parseRange(text), text)
    }
  })
})

/** A cluster's range and its nodes' mask, of either family, with at most 256 blocks. */
const shapes = fc
  .record({
    family: fc.constantFrom<4 | 6>(4, 6),
    bits: fc.bigInt({ min: 0n, max: 2n ** 128n - 1n }),
    difference: fc.integer({ min: 0, max: 8 }),
    length: fc.integer({ min: 0, max: 128 })
  })
  .map(({ bits, difference, family, length }) => {
    const width = family === 4 ? 32 : 128
    const own = Math.min(length, width - difference)
    const host = BigInt(width - own)
    const base = ((bits & (2n ** BigInt(width) - 1n)) >> host) << host
    return { cluster: { family, base, length: own } satisfies IPRange, nodeMaskSize: own + difference }
  })

describe("a set of blocks", () => {
  it("allocates every block once, all within the range and disjoint, and then fails", () => {
    fc.assert(
      fc.property(shapes, ({ cluster, nodeMaskSize }) => {
        const set = Result.getOrThrow(CidrSet.make(cluster, nodeMaskSize))
        const blocks = Array.from({ length: set.maxCIDRs }, () => Result.getOrThrow(set.allocate()))
        assert.strictEqual(new Set(blocks.map(formatRange)).size, set.maxCIDRs)
        for (const block of blocks) {
          assert.isTrue(overlaps(cluster, block))
          assert.strictEqual(block.length, nodeMaskSize)
          assert.deepStrictEqual(parseRange(formatRange(block)), block)
        }
        assert.isTrue(Result.isFailure(set.allocate()))
      })
    )
  })

  it("counts as a plain list of blocks would, whatever is taken and released", () => {
    const steps = fc.array(
      fc.record({
        op: fc.constantFrom("allocate", "occupy", "release"),
        at: fc.nat(255),
        wider: fc.integer({ min: -2, max: 9 })
      }),
      { maxLength: 60 }
    )
    fc.assert(
      fc.property(shapes, steps, ({ cluster, nodeMaskSize }, taken) => {
        const set = Result.getOrThrow(CidrSet.make(cluster, nodeMaskSize))
        const width = cluster.family === 4 ? 32 : 128
        const size = 2n ** BigInt(width - nodeMaskSize)
        const used = new Set<number>()
        for (const step of taken) {
          if (step.op === "allocate") {
            const { nextCandidate } = set
            const order = Array.from({ length: set.maxCIDRs }, (_, index) => (nextCandidate + index) % set.maxCIDRs)
            const expected = order.find((index) => !used.has(index))
            const block = set.allocate()
            if (expected === undefined) assert.isTrue(Result.isFailure(block))
            else {
              used.add(expected)
              assert.strictEqual(Result.getOrThrow(block).base, cluster.base + BigInt(expected) * size)
            }
          } else {
            const length = Math.max(0, Math.min(width, nodeMaskSize - step.wider))
            const host = BigInt(width - length)
            const address = cluster.base + BigInt(step.at % set.maxCIDRs) * size
            const marked: IPRange = { family: cluster.family, base: (address >> host) << host, length }
            Result.getOrThrow(set[step.op](marked))
            for (let index = 0; index < set.maxCIDRs; index++) {
              const block: IPRange = { ...cluster, base: cluster.base + BigInt(index) * size, length: nodeMaskSize }
              if (!overlaps(block, marked)) continue
              if (step.op === "occupy") used.add(index)
              else used.delete(index)
            }
          }
          assert.strictEqual(set.allocated, used.size)
        }
      })
    )
  })

  it("reports changed blocks to its meter, not unchanged ones", () => {
    const told: Array<readonly [string, number]> = []
    const note = (what: string) => (value: number) => void told.push([what, value])
    const meter = {
      allocated: note("allocated"),
      released: note("released"),
      skipped: note("skipped"),
      usage: note("usage")
    }
    const set = Result.getOrThrow(CidrSet.make(range("10.0.0.0/22"), 24, meter))
    set.occupy(range("10.0.0.0/23"))
    set.occupy(range("10.0.0.0/24"))
    set.allocate()
    set.release(range("10.0.0.0/8"))
    set.release(range("10.0.0.0/8"))
    assert.deepStrictEqual(told, [
      ["allocated", 2],
      ["usage", 0.5],
      ["usage", 0.5],
      ["allocated", 1],
      ["skipped", 2],
      ["usage", 0.75],
      ["released", 3],
      ["usage", 0],
      ["usage", 0]
    ])
  })

  it("knows the last block of a range of 65,536", () => {
    const set = setOf("fd00::/48", 64)
    set.occupy(range("fd00:0:0:ffff:1::/128"))
    assert.strictEqual(set.allocated, 1)
    for (let index = 0; index < 65_535; index++) set.allocate()
    assert.isTrue(Result.isFailure(set.allocate()))
    assert.strictEqual(set.nextCandidate, 65_535)
  })

  it("is refused where an IPv6 range would have more than 65,536 blocks", () => {
    assert.isTrue(Result.isSuccess(CidrSet.make(range("fd00::/48"), 64)))
    assert.deepStrictEqual(
      Result.merge(CidrSet.make(range("fd00::/47"), 64)),
      "New CIDR set failed; the node CIDR size is too big"
    )
    assert.strictEqual(setOf("10.0.0.0/8", 30).maxCIDRs, 2 ** 22)
  })

  it("reports exhaustion, and ranges outside of it", () => {
    const set = setOf("10.0.0.0/23", 24)
    assert.strictEqual(set.nextCandidate, 0)
    set.allocate()
    set.allocate()
    assert.deepStrictEqual(
      Result.merge(set.allocate()),
      "CIDR allocation failed; there are no remaining CIDRs left to allocate in the accepted range"
    )
    const outside = "cidr 10.0.2.0/24 is out the range of cluster cidr 10.0.0.0/23"
    assert.strictEqual(Result.merge(set.occupy(range("10.0.2.0/24"))), outside)
    assert.strictEqual(Result.merge(set.release(range("10.0.2.0/24"))), outside)
    assert.strictEqual(
      Result.merge(set.occupy(range("fd00::/64"))),
      "cidr fd00::/64 is out the range of cluster cidr 10.0.0.0/23"
    )
    assert.strictEqual(set.allocated, 2)
  })

  it("counts the taken blocks that an allocation passes over, also around the end", () => {
    const tries: Array<number> = []
    const nothing = () => undefined
    const meter = {
      allocated: nothing,
      released: nothing,
      usage: nothing,
      skipped: (skipped: number) => void tries.push(skipped)
    }
    const set = Result.getOrThrow(CidrSet.make(range("10.0.0.0/22"), 24, meter))
    for (let index = 0; index < 4; index++) set.allocate()
    set.release(range("10.0.3.0/24"))
    set.allocate()
    set.release(range("10.0.1.0/24"))
    set.allocate()
    assert.deepStrictEqual(tries, [0, 0, 0, 0, 3, 1])
    set.release(range("10.0.0.0/24"))
    assert.strictEqual(formatRange(Result.getOrThrow(set.allocate())), "10.0.0.0/24")
    set.release(range("10.0.0.0/24"))
    set.allocate()
    assert.deepStrictEqual(tries.slice(6), [2, 3])
  })
})
