import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { TokenBucket } from "../src/rules.ts"

const START = 1_767_225_600_000

const qps = fc.oneof(fc.constantFrom(0.1, 0.01, 1, 20), fc.double({ min: 0.001, max: 1000, noNaN: true }))

const gaps = fc.array(fc.oneof(fc.constant(0), fc.nat(50), fc.integer({ min: 0, max: 20_000 })), {
  minLength: 1,
  maxLength: 150
})

describe("TokenBucket", () => {
  it("holds between 0 and burst tokens, and never grants more than burst + rate * time", () => {
    fc.assert(
      fc.property(qps, fc.nat(20), gaps, fc.boolean(), (rate, burst, waits, sinceEpoch) => {
        const bucket = new TokenBucket(rate, burst)
        const granted: Array<number> = []
        let now = sinceEpoch ? START : 0
        for (const wait of waits) {
          now += wait
          const before = bucket.available(now)
          assert.isTrue(before >= 0 && before <= burst)
          const taken = bucket.tryTake(now)
          if (taken) granted.push(now)
          else assert.strictEqual(bucket.available(now), before)
          assert.isTrue(taken || before < 1)
          assert.isTrue(bucket.available(now) >= 0)
        }
        for (let from = 0; from < granted.length; from++) {
          for (let to = from; to < granted.length; to++) {
            const seconds = ((granted[to] ?? 0) - (granted[from] ?? 0)) / 1000
            assert.isTrue(to - from + 1 <= burst + Math.fround(rate) * (seconds + 2e-9) + 1e-9)
          }
        }
      })
    )
  })

  it("counts float32 rates: at 0.1/s ten seconds are enough, at 0.01/s a hundred are not", () => {
    const fast = new TokenBucket(0.1, 1)
    const slow = new TokenBucket(0.01, 1)
    const grants = (bucket: TokenBucket) => {
      const at: Array<number> = []
      for (let tick = 0; tick <= 2100; tick++) if (bucket.tryTake(START + tick * 100)) at.push(tick)
      return at
    }
    assert.deepStrictEqual(grants(fast).slice(0, 4), [0, 100, 200, 300])
    assert.deepStrictEqual(grants(slow), [0, 1001, 2002])
  })

  it("admits within a nanosecond of the refill and not before", () => {
    const bucket = new TokenBucket(1, 1)
    assert.isTrue(bucket.tryTake(0))
    assert.isFalse(bucket.tryTake(999.99999))
    assert.isTrue(bucket.tryTake(999.9999999))
    assert.isFalse(bucket.tryTake(1999.9))
    assert.isTrue(bucket.tryTake(2000))
  })

  it("queues reservations behind each other", () => {
    const bucket = new TokenBucket(20, 2)
    const waits = Array.from({ length: 5 }, () => bucket.reserve(START))
    assert.deepStrictEqual(waits, [0, 0, 50, 100, 150])
    assert.approximately(bucket.reserve(START + 100), 100, 1e-6)
    assert.isFalse(bucket.tryTake(START + 100))
    assert.strictEqual(bucket.reserve(START + 60_000), 0)
  })

  it("never refills at rate 0, and always admits at an infinite one", () => {
    const still = new TokenBucket(0, 1)
    assert.deepStrictEqual([still.tryTake(0), still.tryTake(1e12)], [true, false])
    assert.strictEqual(still.reserve(1e12), Number.POSITIVE_INFINITY)
    const open = new TokenBucket(Number.POSITIVE_INFINITY, 1)
    assert.isTrue([1, 1, 1].every((now) => open.tryTake(now)))
    assert.strictEqual(open.reserve(1), 0)
  })

  it("admits at an infinite rate without a token, and takes none", () => {
    const bucket = new TokenBucket(Number.POSITIVE_INFINITY, 0)
    assert.isTrue(bucket.tryTake(0))
    const full = new TokenBucket(Number.POSITIVE_INFINITY, 2)
    assert.strictEqual(full.reserve(0), 0)
    assert.strictEqual(full.available(0), 2)
  })

  it("reports the available tokens", () => {
    const bucket = new TokenBucket(1, 2)
    assert.strictEqual(bucket.available(0), 2)
    assert.isTrue(bucket.tryTake(0))
    assert.strictEqual(bucket.available(500), 1.5)
    bucket.reserve(0)
    bucket.reserve(0)
    assert.strictEqual(bucket.available(0), 0)
  })

  it("never admits with a burst below 1, and within a nanosecond at a rate that refills in less", () => {
    assert.isFalse(new TokenBucket(1e10, 0).tryTake(0))
    const fast = new TokenBucket(1e10, 1)
    assert.isTrue(fast.tryTake(0))
    assert.isTrue(fast.tryTake(0))
  })

  it("keeps its tokens while time stops or runs backwards", () => {
    const bucket = new TokenBucket(1, 2)
    assert.isTrue(bucket.tryTake(10_000))
    assert.strictEqual(bucket.available(9_000), 1)
    assert.strictEqual(bucket.available(10_000), 1)
  })

  it("neither refills nor drains at a rate below 0", () => {
    const bucket = new TokenBucket(-1, 2)
    assert.isTrue(bucket.tryTake(0))
    assert.strictEqual(bucket.available(1000), 1)
    assert.isTrue(bucket.tryTake(1000))
    assert.isFalse(bucket.tryTake(2000))
    assert.strictEqual(bucket.reserve(2000), Number.POSITIVE_INFINITY)
  })

  it("reports when it admits next: then it does, and a millisecond earlier it does not", () => {
    fc.assert(
      fc.property(qps, fc.integer({ min: 1, max: 3 }), gaps, fc.boolean(), (rate, burst, waits, sinceEpoch) => {
        let now = sinceEpoch ? START : 0
        const bucket = new TokenBucket(rate, burst)
        for (const wait of waits) {
          now += wait
          const atMs = bucket.admitsAt(now)
          // What is due within a nanosecond is there: at 1,000 a second that is a millionth of a token.
          assert.isTrue(bucket.available(now) >= 1 - (1.001 * rate) / 1e9 || atMs > now)
          if (atMs > now) {
            assert.isFalse(bucket.tryTake(now))
            if (atMs - 1 > now) assert.isFalse(bucket.tryTake(atMs - 1))
          }
          assert.isTrue(bucket.tryTake(atMs))
          now = atMs
        }
      })
    )
  })

  it("reports when the node controller may evict next, or never", () => {
    for (const [rate, waitMs] of [
      [0.1, 10_000],
      [0.01, 100_001]
    ] as const) {
      const bucket = new TokenBucket(rate, 1)
      assert.strictEqual(bucket.admitsAt(START), START)
      bucket.drain(START)
      assert.strictEqual(bucket.admitsAt(START), START + waitMs)
      assert.strictEqual(bucket.admitsAt(START + 4321.5), START + waitMs)
    }
    const never = new TokenBucket(0, 1)
    assert.strictEqual(never.admitsAt(5), 5)
    never.drain(5)
    assert.strictEqual(never.admitsAt(5), Number.POSITIVE_INFINITY)
    assert.strictEqual(new TokenBucket(1, 0).admitsAt(0), Number.POSITIVE_INFINITY)
    assert.strictEqual(new TokenBucket(Number.POSITIVE_INFINITY, 0).admitsAt(7), 7)
  })

  it("is empty once drained, and owes what was reserved", () => {
    const bucket = new TokenBucket(1, 3)
    bucket.drain(0)
    assert.isFalse(bucket.tryTake(999))
    assert.isTrue(bucket.tryTake(1000))
    bucket.reserve(1000)
    bucket.reserve(1000)
    bucket.drain(1000)
    assert.strictEqual(bucket.admitsAt(1000), 4000)
  })
})
