import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { levelOf, makeDispatcher, schemaOf } from "./makeDispatcher.ts"

const queuing = { queues: 64, handSize: 6, queueLengthLimit: 50 }
const makeTwoLevels = () =>
  makeDispatcher(20, [levelOf("low", 50, queuing), levelOf("high", 50, queuing)], [schemaOf("low"), schemaOf("high")])

describe("a request", () => {
  it("starts at once while there are seats and the time slice lasts", () => {
    const simulated = makeTwoLevels()
    for (let times = 0; times < 9; times++) assert.strictEqual(simulated.send("low", "a", 0.5).starts, 1)
    assert.isFalse(simulated.hasTurn())
  })

  it("waits for the next time slice once this one is over", () => {
    const simulated = makeTwoLevels()
    simulated.send("low", "a", 6)
    const late = simulated.send("low", "b", 1)
    assert.deepStrictEqual([late.starts, late.place?.isWaiting], [0, true])
    simulated.turn()
    assert.strictEqual(late.starts, 1)
    assert.isFalse(simulated.hasTurn())
  })

  it("waits for a seat, and gets it when another request ends", () => {
    const simulated = makeTwoLevels()
    const seats = simulated.level("low").currentLimit
    const working = Array.from({ length: seats }, (_, user) => simulated.send("low", `u${user}`, 0, true))
    const waiting = simulated.send("low", "a", 0)
    simulated.turn()
    assert.strictEqual(waiting.starts, 0)
    working[0]?.place?.leave()
    working[0]?.place?.leave()
    simulated.turn()
    assert.strictEqual(waiting.starts, 1)
    assert.strictEqual(simulated.level("low").queues.seatsInUse, seats - 1)
  })

  it("is refused when it has waited for too long", () => {
    const simulated = makeTwoLevels()
    for (let user = 0; user < simulated.level("low").currentLimit; user++) simulated.send("low", `u${user}`, 0, true)
    const waiting = simulated.send("low", "a", 0)
    simulated.turn()
    simulated.wait(14_999)
    assert.strictEqual(waiting.refusals, 0)
    simulated.wait(1)
    assert.deepStrictEqual([waiting.refusals, waiting.starts, waiting.retryAfter], [1, 0, 1])
    assert.isTrue(simulated.level("low").queues.waiting === 0)
    simulated.turn()
    assert.strictEqual(waiting.starts, 0)
  })

  it("is refused when its queues are full, in the next time slice", () => {
    const simulated = makeTwoLevels()
    simulated.send("low", "a", 6)
    const sent = Array.from({ length: 301 }, () => simulated.send("low", "a", 0.01))
    assert.deepStrictEqual(simulated.level("low").queues.waiting, 300)
    assert.strictEqual(sent[300]?.refusals, 0)
    simulated.turn()
    assert.strictEqual(sent[300]?.refusals, 1)
    assert.isTrue(sent.slice(0, 300).every(({ refusals, starts }) => starts === 1 && refusals === 0))
  })

  it("that is cancelled while it waits leaves its queue, and is neither started nor refused", () => {
    const simulated = makeTwoLevels()
    simulated.send("low", "a", 6)
    const gone = simulated.send("low", "a", 0)
    gone.place?.leave()
    for (let times = 0; times < 300; times++) simulated.send("low", "a", 0)
    const refused = simulated.send("low", "a", 0)
    refused.place?.leave()
    simulated.turn()
    assert.deepStrictEqual([gone.starts, gone.refusals, refused.starts, refused.refusals], [0, 0, 0, 0])
    assert.isTrue(simulated.level("low").queues.isIdle)
  })

  it("without a seat is refused at once at a level that rejects, and still starts where there is one", () => {
    const simulated = makeDispatcher(10, [levelOf("low", 10, undefined)], [schemaOf("low")])
    const seats = simulated.level("low").currentLimit
    simulated.send("low", "a", 6)
    const waiting = Array.from({ length: seats }, () => simulated.send("low", "a", 0, true))
    const refused = simulated.send("low", "a", 0)
    simulated.turn()
    assert.strictEqual(refused.refusals, 1)
    assert.isTrue(waiting.every(({ starts }) => starts === 1))
    assert.strictEqual(simulated.send("low", "a", 0).refusals, 1)
  })
})

describe("a level without seats", () => {
  const noSeats = { borrowingLimitPercent: 0 }

  it("that rejects lets one request execute alone; one with queues lets none", () => {
    const queuing = { queues: 1, handSize: 1, queueLengthLimit: 5 }
    const levels = [
      levelOf("none", 0, undefined, noSeats),
      levelOf("held", 0, queuing, noSeats),
      levelOf("rest", 10, queuing)
    ]
    const schemas = levels.map(({ metadata }) => schemaOf(metadata.name ?? ""))
    const simulated = makeDispatcher(10, levels, schemas)
    const alone = simulated.send("none", "a", 0, true)
    const second = simulated.send("none", "b", 0)
    const held = simulated.send("held", "c", 0)
    simulated.turn()
    assert.deepStrictEqual([alone.starts, second.refusals, held.starts, held.refusals], [1, 1, 0, 0])
  })
})

describe("under a flood", () => {
  it("of one user a request of another user of the same level is served after a few", () => {
    const simulated = makeTwoLevels()
    simulated.send("low", "a", 6)
    for (let times = 0; times < 300; times++) simulated.send("low", "a", 1)
    simulated.turn()
    const other = simulated.send("low", "b", 1)
    const before = simulated.started.length
    while (other.starts === 0 && simulated.hasTurn()) simulated.turn()
    assert.isAtMost(simulated.started.length - before, 2 * queuing.handSize + 1)
  })

  it("of one level another level gets its share of the time", () => {
    const simulated = makeTwoLevels()
    simulated.send("low", "a", 6)
    for (let user = 0; user < 20; user++) for (let times = 0; times < 100; times++) simulated.send("low", `a${user}`, 2)
    for (let user = 0; user < 4; user++) for (let times = 0; times < 20; times++) simulated.send("high", `b${user}`, 2)
    const first = simulated.started.length
    for (let turns = 0; turns < 20; turns++) simulated.turn()
    const served = simulated.started.slice(first)
    const high = served.filter(({ level }) => level === "high").length
    assert.isAtLeast(high, Math.floor(served.length / 2) - 1)
  })

  it("of a level with borrowed seats other levels keep their share of the time", () => {
    const lending = { lendablePercent: 90 }
    const simulated = makeDispatcher(
      20,
      [levelOf("low", 50, queuing, lending), levelOf("high", 50, queuing, lending)],
      [schemaOf("low"), schemaOf("high")]
    )
    const working = Array.from({ length: 60 }, (_, user) => simulated.send("low", `u${user}`, 0, true))
    simulated.turn()
    simulated.dispatcher.configuration.adjust(1_020_000)
    assert.isAbove(simulated.level("low").currentLimit, 2 * simulated.level("high").currentLimit)
    for (let rounds = 0; rounds < 60; rounds++) {
      for (const { place } of working) place?.leave()
      simulated.turn()
    }
    simulated.send("low", "a", 6)
    for (let user = 0; user < 20; user++) for (let times = 0; times < 50; times++) simulated.send("low", `a${user}`, 2)
    for (let user = 0; user < 4; user++) for (let times = 0; times < 20; times++) simulated.send("high", `b${user}`, 2)
    const first = simulated.started.length
    for (let turns = 0; turns < 20; turns++) simulated.turn()
    const served = simulated.started.slice(first)
    assert.isAtLeast(served.filter(({ level }) => level === "high").length, Math.floor(served.length / 2) - 1)
  })

  it("exempt requests are never refused, and leave time to others", () => {
    const simulated = makeTwoLevels()
    simulated.send("low", "a", 6)
    const exempt = Array.from({ length: 1500 }, () => simulated.send("system:masters", "admin", 1))
    const other = simulated.send("high", "b", 1)
    assert.strictEqual(exempt.filter(({ refusals }) => refusals > 0).length, 0)
    const before = simulated.started.length
    while (other.starts === 0 && simulated.hasTurn()) simulated.turn()
    assert.isAtMost(simulated.started.length - before, 100)
    while (simulated.hasTurn()) simulated.turn()
    assert.isTrue(exempt.every(({ starts }) => starts === 1))
  })

  it("refused requests are answered, but do not use all of the time", () => {
    const simulated = makeTwoLevels()
    simulated.send("low", "a", 6)
    for (let times = 0; times < 5000; times++) simulated.send("low", "a", 1)
    const other = simulated.send("high", "b", 1)
    simulated.turn()
    simulated.turn()
    assert.strictEqual(other.starts, 1)
  })
})

type Step =
  | readonly ["send", string, string, boolean]
  | readonly ["leave", number]
  | readonly ["turn"]
  | readonly ["wait"]

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(
    fc.constant("send" as const),
    fc.constantFrom("low", "high", "none", "system:masters"),
    fc.constantFrom("a", "b", "c"),
    fc.boolean()
  ),
  fc.tuple(fc.constant("leave" as const), fc.nat(200)),
  fc.tuple(fc.constant("turn" as const)),
  fc.tuple(fc.constant("wait" as const))
)

describe("any requests", () => {
  it("are each started or refused once, within the seats, and none is lost", () => {
    const small = { queues: 4, handSize: 2, queueLengthLimit: 3 }
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const simulated = makeDispatcher(
          6,
          [levelOf("low", 50, small), levelOf("high", 50, small), levelOf("none", 0, undefined)],
          ["low", "high", "none"].map(schemaOf)
        )
        const sent: Array<ReturnType<typeof simulated.send>> = []
        const left = new Set<number>()
        const check = () => {
          for (const level of simulated.dispatcher.configuration.levels.values()) {
            const { executing, limit, seatsInUse } = level.queues
            assert.isTrue(seatsInUse <= limit || executing <= 1, level.name)
            assert.isAtLeast(level.queues.waiting, 0)
          }
        }
        for (const each of steps) {
          if (each[0] === "send") sent.push(simulated.send(each[1], each[2], 1, each[3]))
          else if (each[0] === "turn") simulated.turn()
          else if (each[0] === "wait") simulated.wait(4000)
          else if (each[1] < sent.length) {
            left.add(each[1])
            sent[each[1]]?.place?.leave()
          }
          check()
        }
        // All that is still at work ends, and all that waits is served.
        for (let rounds = 0; rounds < 400 && (simulated.hasTurn() || rounds < 4); rounds++) {
          for (const { place, starts } of sent) if (starts > 0) place?.leave()
          simulated.turn()
          check()
        }
        sent.forEach(({ refusals, starts }, index) => {
          const answers = refusals + starts
          assert.isTrue(left.has(index) ? answers <= 1 : answers === 1, `request ${index}: ${starts}, ${refusals}`)
        })
        for (const level of simulated.dispatcher.configuration.levels.values())
          assert.isTrue(level.queues.isIdle, level.name)
      }),
      { numRuns: 150 }
    )
  })

  it("the limits of all levels together equal the server's, except for rounding", () => {
    const simulated = makeTwoLevels()
    for (let user = 0; user < 40; user++) simulated.send("low", `u${user}`, 0, true)
    simulated.wait(10_000)
    simulated.dispatcher.configuration.adjust(1_010_000)
    const limits = [...simulated.dispatcher.configuration.levels.values()].filter(({ isExempt }) => !isExempt)
    const total = limits.reduce((sum, { currentLimit }) => sum + currentLimit, 0)
    assert.isAtMost(total, 20 + limits.length)
  })
})

describe("a configuration", () => {
  it("that loses a level serves its queue, and then removes it", () => {
    const simulated = makeTwoLevels()
    for (let user = 0; user < simulated.level("low").currentLimit; user++) simulated.send("low", `u${user}`, 0, true)
    const waiting = simulated.send("low", "a", 0)
    let idle = 0
    simulated.dispatcher.onIdle = () => {
      idle++
    }
    simulated.dispatcher.configuration.digest([levelOf("high", 50, queuing)], [schemaOf("high")], 1_000_000)
    assert.isTrue(simulated.level("low").isQuiescing)
    const later = simulated.send("low", "b", 0)
    for (const { place } of [...simulated.started]) place?.leave()
    simulated.turn()
    assert.deepStrictEqual([waiting.starts, later.starts], [1, 1])
    assert.isAtLeast(idle, 1)
    simulated.dispatcher.configuration.digest([levelOf("high", 50, queuing)], [schemaOf("high")], 1_000_000)
    assert.isUndefined(simulated.dispatcher.configuration.levels.get("low"))
  })

  it("without objects has the mandatory ones", () => {
    const simulated = makeDispatcher(10, [], [])
    assert.deepStrictEqual([...simulated.dispatcher.configuration.levels.keys()].toSorted(), ["catch-all", "exempt"])
    assert.strictEqual(simulated.send("system:authenticated", "a", 0).starts, 1)
    assert.strictEqual(simulated.send("nobody", "a", 0).starts, 1)
  })
})
