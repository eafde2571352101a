import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { swapLimiter } from "../src/Limiter.ts"
import { alwaysLimiter, done, neverLimiter, RateLimitedQueue, retryAfter, tokenBucketLimiter } from "../src/rules.ts"
import { TimedQueue } from "../src/TimedQueue.ts"

const START = 1_767_225_600_000.25

const operation = fc.oneof(
  fc.record({ op: fc.constant("add" as const), value: fc.nat(30), at: fc.nat(20) }),
  fc.record({ op: fc.constant("add afresh" as const), value: fc.nat(30), at: fc.nat(20) }),
  fc.record({ op: fc.constant("remove" as const), value: fc.nat(30), at: fc.nat(20) }),
  fc.record({ op: fc.constant("take" as const), value: fc.nat(30), at: fc.nat(20) }),
  fc.record({ op: fc.constant("replace" as const), value: fc.nat(30), at: fc.nat(20) })
)

interface Waiting {
  readonly value: string
  readonly at: number
  readonly after: boolean
  readonly order: number
}

describe("TimedQueue", () => {
  it("is a set of known names and a queue by time, then by insertion", () => {
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 200, size: "max" }), (operations) => {
        const queue = new TimedQueue()
        const known = new Set<string>()
        let line: Array<Waiting> = []
        let order = 0
        const without = (value: string) => line.filter((waiting) => waiting.value !== value)
        for (const { at, op, value: n } of operations) {
          const value = `${n}`
          const waits = line.some((waiting) => waiting.value === value)
          if (op === "add") {
            assert.strictEqual(queue.add(value, at), !known.has(value))
            if (!known.has(value)) line.push({ value, at, after: false, order: order++ })
            known.add(value)
          } else if (op === "add afresh") {
            queue.addAfresh(value, at)
            line = [...without(value), { value, at, after: false, order: order++ }]
            known.add(value)
          } else if (op === "remove") {
            assert.strictEqual(queue.remove(value), known.delete(value))
            line = without(value)
          } else if (op === "take") {
            assert.strictEqual(queue.removeFromQueue(value), waits)
            line = without(value)
          } else {
            assert.strictEqual(queue.replace({ value, addedAt: 0, processAt: at, strictlyAfter: true }), waits)
            if (waits) line = [...without(value), { value, at, after: true, order: order++ }]
          }
          line.sort((a, b) => a.at - b.at || Number(a.after) - Number(b.after) || a.order - b.order)
          assert.strictEqual(queue.head()?.value, line[0]?.value)
          assert.strictEqual(queue.size, line.length)
        }
        assert.deepStrictEqual(queue.known().toSorted(), [...known].toSorted())
        const drained: Array<string> = []
        for (let head = queue.head(); head !== undefined; head = queue.head()) {
          drained.push(head.value)
          queue.removeFromQueue(head.value)
        }
        assert.deepStrictEqual(
          drained,
          line.map(({ value }) => value)
        )
      })
    )
  })
})

describe("RateLimitedQueue", () => {
  it("hands a name out once per instant, however often it fails", () => {
    const queue = new RateLimitedQueue(alwaysLimiter)
    queue.add("a", START)
    queue.add("b", START)
    const handed: Array<string> = []
    const fail = (value: string) => {
      handed.push(value)
      return retryAfter(0)
    }
    assert.strictEqual(
      queue.try(START, ({ value }) => fail(value)),
      2
    )
    assert.strictEqual(
      queue.try(START, ({ value }) => fail(value)),
      0
    )
    // // The next instant that milliseconds since the epoch can represent.
    assert.strictEqual(
      queue.try(START + 2 ** -12, ({ value }) => fail(value)),
      2
    )
    assert.deepStrictEqual(handed, ["a", "b", "a", "b"])
  })

  it("waits until a retry is due, and spends each token that arrives meanwhile", () => {
    const queue = new RateLimitedQueue(tokenBucketLimiter(0.1))
    queue.add("a", START)
    const answers = [retryAfter(15_000), done]
    const handedAt: Array<number> = []
    for (let tick = 0; tick <= 400; tick++) {
      queue.try(START + tick * 100, () => {
        handedAt.push(tick)
        return answers.shift() ?? done
      })
    }
    // The token of tick 100 is lost, so the retry that is due at 150 happens at 200.
    assert.deepStrictEqual(handedAt, [0, 200])
    assert.isTrue(queue.has("a"))
    assert.strictEqual(queue.size, 0)
  })

  it("does not requeue a name that was removed while it was acted on", () => {
    const queue = new RateLimitedQueue(alwaysLimiter)
    queue.add("a", START)
    const entry = queue.next(START)
    assert.strictEqual(entry?.value, "a")
    queue.remove("a")
    if (entry !== undefined) queue.settle(entry, retryAfter(10), START)
    assert.deepStrictEqual([queue.queued(), queue.known()], [[], []])
  })

  it("hands out no more than one and the rate allows, and no name twice unless it was removed", () => {
    const plan = fc.array(
      fc.record({ gap: fc.nat(5000), value: fc.nat(30), op: fc.constantFrom("add" as const, "remove" as const) }),
      { maxLength: 120 }
    )
    fc.assert(
      fc.property(plan, fc.constantFrom(0.1, 0.01, 1, 5), (steps, rate) => {
        const queue = new RateLimitedQueue(tokenBucketLimiter(rate))
        const held = new Set<string>()
        const times: Array<number> = []
        let now = START
        for (const { gap, op, value } of steps) {
          now += gap
          if (op === "add") queue.add(`${value}`, now)
          else if (queue.remove(`${value}`)) held.delete(`${value}`)
          queue.try(now, (entry) => {
            assert.isFalse(held.has(entry.value))
            held.add(entry.value)
            times.push(now)
            return done
          })
        }
        for (const [from, start] of times.entries()) {
          for (let to = from; to < times.length; to++) {
            const seconds = ((times[to] ?? 0) - start) / 1000
            assert.isTrue(to - from + 1 <= 1 + Math.fround(rate) * seconds + 1e-6)
          }
        }
      })
    )
  })
})

describe("swapLimiter", () => {
  it("carries the wait over, in both directions", () => {
    const full = swapLimiter(tokenBucketLimiter(0.1), 0.01, START)
    assert.isTrue(full.tryTake(START))
    const spent = tokenBucketLimiter(0.1)
    spent.tryTake(START)
    const slow = swapLimiter(spent, 0.01, START + 5000)
    assert.isFalse(slow.tryTake(START + 5000))
    const fast = swapLimiter(slow, 0.1, START + 6000)
    assert.deepStrictEqual([fast.tryTake(START + 15_999), fast.tryTake(START + 16_000)], [false, true])
  })

  it("keeps the same limiter at the same float32 rate", () => {
    const limiter = tokenBucketLimiter(0.1)
    assert.strictEqual(swapLimiter(limiter, Math.fround(0.1), START), limiter)
  })

  it("leaves a stopped limiter drained, and cannot replace it by a rate of 1", () => {
    const stopped = swapLimiter(tokenBucketLimiter(0.1), 0, START)
    assert.strictEqual(stopped, neverLimiter)
    assert.strictEqual(swapLimiter(stopped, 1, START), neverLimiter)
    assert.isFalse(swapLimiter(stopped, 0.1, START).tryTake(START))
  })

  it("never takes the first token of a rate of 0 away", () => {
    const zero = tokenBucketLimiter(0)
    const same = swapLimiter(zero, 0, START)
    assert.strictEqual(same, zero)
    assert.deepStrictEqual([same.tryTake(START), same.tryTake(START + 1e9)], [true, false])
  })
})
