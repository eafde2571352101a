import { assert, describe, it } from "@effect/vitest"
import { suggestedPriorityLevels } from "@rollcall/api"
import * as fc from "fast-check"
import { allocate } from "../src/allocation.ts"
import { deal, hashOfFlow } from "../src/FlowConfiguration.ts"
import { borrow, type Demand, listSeats, maxSeatsOf, seatLimits, startsWithList } from "../src/limits.ts"
import { DroppedRequests, SeatDemand } from "../src/PriorityLevel.ts"

const sum = (values: ReadonlyArray<number>) => values.reduce((before, value) => before + value, 0)

const claim = fc
  .tuple(fc.integer({ min: 0, max: 100 }), fc.integer({ min: 0, max: 100 }), fc.integer({ min: 0, max: 200 }))
  .map(([lowerBound, target, room]) => ({ lowerBound, upperBound: lowerBound + room, target: lowerBound + target }))

describe("seats", () => {
  it("are divided by shares, rounded up", () => {
    const specs = suggestedPriorityLevels.map(({ spec }) => spec ?? { type: "" })
    const limits = seatLimits(600, specs)
    assert.deepStrictEqual(
      limits.map(({ max, min, nominal }) => [nominal, min, max]),
      [
        [75, 50, 675],
        [100, 75, 700],
        [25, 25, 625],
        [100, 50, 700],
        [250, 25, 850],
        [50, 25, 650]
      ]
    )
    assert.deepStrictEqual(seatLimits(10, [{ type: "Exempt", exempt: {} }]), [{ nominal: 0, min: 0, max: 10 }])
    assert.strictEqual(
      seatLimits(12, [{ type: "Limited", limited: { nominalConcurrencyShares: 1, borrowingLimitPercent: 50 } }])[0]
        ?.max,
      18
    )
  })

  it("of one request are limited to a part of the level's", () => {
    assert.strictEqual(maxSeatsOf(98, 6), 15)
    assert.strictEqual(maxSeatsOf(12, 6), 2)
    assert.strictEqual(maxSeatsOf(1, 6), 1)
    assert.strictEqual(maxSeatsOf(98, undefined), 0)
  })

  it("are divided equally among demands, within the bounds, and completely", () => {
    fc.assert(
      fc.property(fc.array(claim, { minLength: 1, maxLength: 9 }), fc.nat(100), (claims, percent) => {
        const low = sum(claims.map(({ lowerBound }) => lowerBound))
        const high = sum(claims.map(({ upperBound }) => upperBound))
        const total = low + Math.round(((high - low) * percent) / 100)
        const found = allocate(total, claims)
        if (found === undefined) return assert.fail("no allocation")
        assert.approximately(sum(found.seats), total, 1e-6)
        claims.forEach(({ lowerBound, target, upperBound }, index) => {
          const seats = found.seats[index] as number
          const fair = found.fairFraction * Math.max(target, 0.001)
          assert.isAtLeast(seats, lowerBound)
          assert.isAtMost(seats, upperBound)
          if (seats > lowerBound && seats < upperBound) assert.approximately(seats, fair, 1e-6)
        })
      })
    )
    assert.isUndefined(allocate(1, [{ lowerBound: 2, target: 2, upperBound: 3 }]))
    assert.isUndefined(allocate(4, [{ lowerBound: 2, target: 2, upperBound: 3 }]))
  })
})

describe("borrowing", () => {
  const demand = (nominal: number, min: number, max: number, wanted: number, more: Partial<Demand> = {}): Demand => ({
    isExempt: false,
    limits: { nominal, min, max },
    highWatermark: wanted,
    smoothed: wanted,
    current: nominal,
    ...more
  })

  it("lends idle levels' seats to levels that need them", () => {
    const { current } = borrow([demand(12, 6, 18, 24), demand(12, 8, 24, 1)])
    assert.deepStrictEqual(current, [16, 8])
  })

  it("stops at a level's borrowing limit", () => {
    assert.deepStrictEqual(borrow([demand(12, 6, 15, 24), demand(12, 4, 24, 1)]).current, [15, 9])
  })

  it("returns to a level its own seats when it needs them", () => {
    assert.deepStrictEqual(borrow([demand(12, 6, 18, 24), demand(12, 4, 18, 30)]).current, [12, 12])
  })

  it("leaves levels their minimum when exempt requests take everything", () => {
    const exempt = demand(0, 0, 100, 30, { isExempt: true })
    assert.deepStrictEqual(borrow([exempt, demand(12, 6, 18, 24), demand(12, 4, 18, 0)]).current, [30, 6, 4])
  })
})

describe("demand", () => {
  it("is the mean over time and the maximum, period by period", () => {
    const demand = new SeatDemand(0)
    demand.set(10, 0)
    demand.set(0, 5000)
    demand.adjust(10_000)
    assert.deepStrictEqual([demand.average, demand.deviation, demand.highWatermark, demand.smoothed], [5, 5, 10, 10])
    demand.adjust(20_000)
    assert.deepStrictEqual([demand.average, demand.highWatermark], [0, 0])
    assert.approximately(demand.smoothed, 9.77, 1e-9)
  })
})

describe("shuffle sharding", () => {
  it("deals different queues, all hands equally often", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), fc.integer({ min: 1, max: 64 }), (hash, deck) => {
        const size = Math.min(deck, 8)
        const hand = deal(hash, deck, size)
        assert.strictEqual(new Set(hand).size, size)
        assert.isTrue(hand.every((queue) => queue >= 0 && queue < deck))
      })
    )
    // By hand: remainders 5, 16, 112, …, each raised past those before it.
    assert.deepStrictEqual(deal(0n, 128, 4), [0, 1, 2, 3])
    assert.deepStrictEqual(deal(2n ** 32n + 5n, 128, 4), [5, 17, 114, 98])
  })

  it("rarely gives two of a thousand users more than some of the same queues", () => {
    const hands = Array.from({ length: 1000 }, (_, user) => new Set(deal(hashOfFlow("s", `user-${user}`), 64, 6)))
    const [first = new Set<number>()] = hands
    const worst = Math.max(...hands.slice(1).map((hand) => [...hand].filter((queue) => first.has(queue)).length))
    assert.isBelow(worst, 6)
  })
})

describe("the width of a list", () => {
  const list = { count: 5000, limit: 0, isSingle: false, maxSeats: 0 }

  it("grows with the number of returned objects, up to a bound", () => {
    assert.strictEqual(listSeats(list), 10)
    assert.strictEqual(listSeats({ ...list, maxSeats: 4 }), 4)
    assert.strictEqual(listSeats({ ...list, limit: 250 }), 3)
    assert.strictEqual(listSeats({ ...list, isSingle: true }), 1)
    assert.strictEqual(listSeats({ ...list, count: 0 }), 1)
  })

  it("is that of a watch which begins with one", () => {
    assert.isTrue(startsWithList(undefined, false))
    assert.isTrue(startsWithList("0", false))
    assert.isTrue(startsWithList("7", true))
    assert.isFalse(startsWithList("7", false))
  })
})

describe("refused requests", () => {
  it("get a longer Retry-After the more there are, and a shorter one when there are few", () => {
    const dropped = new DroppedRequests()
    assert.strictEqual(dropped.retryAfter, 1)
    for (let second = 1; second <= 8; second++) for (let times = 0; times < 9; times++) dropped.record(second * 1000)
    const most = dropped.retryAfter
    assert.isAtLeast(most, 4)
    for (let second = 100; second <= 100 + 40 * 60; second += 60) dropped.record(second * 1000)
    assert.strictEqual(dropped.retryAfter, 1)
  })
})
