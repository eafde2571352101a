import { assert, describe, it } from "@effect/vitest"
import { makeVirtualTime } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as fc from "fast-check"
import { runWorkers, WorkQueue } from "../src/index.ts"

const START = 1_767_225_600_000

const makeQueue = () => {
  const time = makeVirtualTime(START)
  return { time, queue: new WorkQueue<string>(time.timers) }
}

describe("WorkQueue", () => {
  it("holds an item once, and does not hand out an item that is being processed", () => {
    const { queue } = makeQueue()
    queue.add("a")
    queue.add("b")
    queue.add("a")
    assert.strictEqual(queue.size, 2)
    assert.strictEqual(queue.take(), "a")
    queue.add("a")
    queue.add("a")
    assert.strictEqual(queue.take(), "b")
    assert.strictEqual(queue.take(), undefined)
    queue.done("a")
    queue.done("b")
    assert.strictEqual(queue.take(), "a")
    queue.done("a")
    assert.strictEqual(queue.take(), undefined)
  })

  it("keeps the earlier of two delays", () => {
    const { queue, time } = makeQueue()
    queue.addAfter("a", 40_000)
    time.runUntil(START + 20_000)
    queue.addAfter("a", 40_000)
    time.runUntil(START + 39_999)
    assert.strictEqual(queue.size, 0)
    time.runUntil(START + 40_000)
    assert.strictEqual(queue.take(), "a")
    queue.addAfter("b", 40_000)
    queue.addAfter("b", 10)
    time.runUntil(START + 40_010)
    assert.strictEqual(queue.take(), "b")
    assert.strictEqual(queue.delayedSize, 0)
  })

  it("delays failures by item and by an overall rate", () => {
    const { queue, time } = makeQueue()
    const waits: Array<number> = []
    for (let n = 0; n < 20; n++) {
      const from = time.timers.now()
      queue.addRateLimited("a")
      while (queue.size === 0) time.runUntil(time.nextAt())
      waits.push(time.timers.now() - from)
      queue.take()
      queue.done("a")
    }
    assert.deepStrictEqual(
      waits,
      waits.map((_, n) => Math.min(5 * 2 ** n, 1_000_000))
    )
    assert.strictEqual(queue.numRequeues("a"), 20)
    queue.forget("a")
    assert.strictEqual(queue.numRequeues("a"), 0)

    const crowd = makeQueue()
    for (let n = 0; n < 120; n++) crowd.queue.addRateLimited(`${n}`)
    crowd.time.runUntil(START + 5)
    assert.strictEqual(crowd.queue.size, 100)
    crowd.time.runUntil(START + 1000)
    assert.strictEqual(crowd.queue.size, 110)
  })

  it("delays failures as its owner says", () => {
    const time = makeVirtualTime(START)
    const backoff = { baseMs: 1000, maxMs: 60_000, hasOverall: false }
    const queue = new WorkQueue<string>(time.timers, {}, "", backoff)
    const delays: Array<number> = []
    for (let n = 0; n < 8; n++) {
      const from = time.timers.now()
      queue.addRateLimited("a")
      time.runUntil(time.nextAt())
      delays.push(time.timers.now() - from)
      queue.take()
      queue.done("a")
    }
    assert.deepStrictEqual(delays, [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000])
    for (let n = 0; n < 120; n++) queue.addRateLimited(`${n}`)
    time.runUntil(time.timers.now() + 1000)
    assert.strictEqual(queue.size, 120)
  })

  it("reports its metrics", () => {
    const time = makeVirtualTime(START)
    const calls: Array<string> = []
    const queue = new WorkQueue<string>(time.timers, {
      depth: (depth) => calls.push(`depth ${depth}`),
      add: () => calls.push("add"),
      queued: (ms) => calls.push(`queued ${ms}`),
      worked: (ms) => calls.push(`worked ${ms}`),
      retry: () => calls.push("retry")
    })
    queue.add("a")
    queue.add("a")
    time.runUntil(START + 30)
    queue.take()
    time.runUntil(START + 50)
    queue.done("a")
    queue.addRateLimited("a")
    assert.deepStrictEqual(calls, ["add", "depth 1", "queued 30", "depth 0", "worked 20", "retry"])
  })

  it("hands out ready items and ends its workers when it is shut down", () => {
    const { queue, time } = makeQueue()
    const handled: Array<string> = []
    const fiber = time.fork(runWorkers(queue, 2, (item) => Effect.sync(() => handled.push(item))))
    time.runUntil(START + 1)
    queue.add("a")
    queue.addAfter("never", 100)
    queue.shutDown()
    queue.add("late")
    time.runUntil(START + 1000)
    assert.deepStrictEqual(handled, ["a"])
    assert.isTrue(Exit.isSuccess(fiber.pollUnsafe() ?? Exit.fail("still running")))
  })

  it("retries a failed item with back-off, and resets the back-off when it succeeds", () => {
    const { queue, time } = makeQueue()
    const at: Array<number> = []
    const errors: Array<string> = []
    const handler = () =>
      Effect.suspend(() => {
        at.push(time.timers.now() - START)
        return at.length < 4 ? Effect.fail(`try ${at.length}`) : Effect.void
      })
    time.fork(runWorkers(queue, 1, handler, (_, error) => Effect.sync(() => errors.push(error))))
    queue.add("a")
    time.runUntil(START + 1000)
    assert.deepStrictEqual(at, [0, 5, 15, 35])
    assert.deepStrictEqual(errors, ["try 1", "try 2", "try 3"])
    assert.strictEqual(queue.numRequeues("a"), 0)
  })

  it("loses no item to a worker that is interrupted while it waits", () => {
    fc.assert(
      fc.property(fc.array(fc.record({ add: fc.boolean(), kill: fc.boolean() }), { maxLength: 8 }), (plan) => {
        const { queue, time } = makeQueue()
        const taken: Array<string> = []
        const takers = plan.map(() => time.fork(Effect.map(queue.get, (item) => taken.push(item))))
        time.runUntil(START + 1)
        for (const [n, { add, kill }] of plan.entries()) {
          if (add) queue.add(`${n}`)
          // At once, so that it finds the taker woken but not yet run.
          if (kill) takers[n]?.interruptUnsafe()
        }
        time.runUntil(START + 2)
        const left: Array<string> = []
        for (let item = queue.take(); item !== undefined; item = queue.take()) left.push(item)
        assert.strictEqual(taken.length + left.length, plan.filter(({ add }) => add).length)
        // Items are left over only when every taker has ended.
        const waiting = takers.filter((fiber) => fiber.pollUnsafe() === undefined).length
        assert.isTrue(left.length === 0 || waiting === 0, `${left.length} items beside ${waiting} waiting takers`)
      })
    )
  })

  it("never has two workers on one item, and loses no add", () => {
    const plan = fc.array(
      fc.record({
        item: fc.constantFrom("a", "b", "c", "d"),
        how: fc.constantFrom("add" as const, "after" as const, "limited" as const),
        gap: fc.nat(30)
      }),
      { maxLength: 60 }
    )
    fc.assert(
      fc.property(
        plan,
        fc.integer({ min: 1, max: 5 }),
        fc.array(fc.nat(40), { minLength: 1 }),
        (adds, workers, works) => {
          const { queue, time } = makeQueue()
          const busy = new Set<string>()
          const lastAdd = new Map<string, number>()
          const lastStart = new Map<string, number>()
          let runs = 0
          let clock = 0
          const handler = (item: string) =>
            Effect.gen(function* () {
              assert.isFalse(busy.has(item))
              busy.add(item)
              lastStart.set(item, clock++)
              yield* Effect.sleep(works[runs++ % works.length] ?? 0)
              busy.delete(item)
            })
          const fiber = time.fork(runWorkers(queue, workers, handler))
          let now = START
          for (const { gap, how, item } of adds) {
            now += gap
            time.runUntil(now)
            lastAdd.set(item, clock++)
            if (how === "add") queue.add(item)
            else if (how === "after") queue.addAfter(item, gap)
            else queue.addRateLimited(item)
          }
          time.runUntil(now + 2_000_000)
          for (const [item, at] of lastAdd) assert.isTrue((lastStart.get(item) ?? -1) > at, `the last add of ${item}`)
          assert.strictEqual(queue.size + queue.delayedSize + busy.size, 0)
          assert.strictEqual(fiber.pollUnsafe(), undefined)
        }
      )
    )
  })
})
