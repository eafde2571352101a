import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import type { Timer } from "../src/index.ts"
import { Call, TimerHeap } from "../src/TimerHeap.ts"

/** The timer that has fired last. */
let fired: Timer | undefined

const drain = (heap: TimerHeap): Array<readonly [number, Timer]> => {
  const out: Array<readonly [number, Timer]> = []
  for (let at = heap.nextAt(); at < Number.POSITIVE_INFINITY; at = heap.nextAt()) {
    heap.fireNext()
    out.push([at, fired as Timer])
  }
  return out
}

const planTimer = (heap: TimerHeap, at: number): Timer => {
  const timer: Timer = new Call(() => {
    fired = timer
  })
  heap.add(at, timer)
  return timer
}

describe("TimerHeap", () => {
  it("returns timers by time, then by order of planning, without cancelled ones", () => {
    const step = fc.record({ at: fc.integer({ min: 0, max: 20 }), act: fc.constantFrom("keep", "cancel", "move") })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300 }), (plan) => {
        const heap = new TimerHeap()
        let expected: Array<readonly [number, Timer]> = []
        for (const { act, at } of plan) {
          const timer = planTimer(heap, at)
          expected.push([at, timer])
          const victim = expected[at % expected.length]?.[1]
          if (act === "keep" || victim === undefined) continue
          expected = expected.filter(([, other]) => other !== victim)
          if (act === "cancel") {
            heap.cancel(victim)
            heap.cancel(victim)
          } else {
            heap.add(at + 3, victim)
            expected.push([at + 3, victim])
          }
        }
        assert.strictEqual(heap.size, expected.length)
        const drained = drain(heap)
        const inOrder = expected.toSorted(([left], [right]) => left - right)
        assert.isTrue(
          drained.every(([at, timer], index) => at === inOrder[index]?.[0] && timer === inOrder[index]?.[1])
        )
        assert.strictEqual(drained.length, expected.length)
        assert.isTrue(drained.every(([, timer]) => !timer.isPlanned))
      })
    )
  })

  it("stays small when most of many timers are cancelled", () => {
    const heap = new TimerHeap()
    const timers = Array.from({ length: 10_000 }, (_, index) => planTimer(heap, index))
    for (const timer of timers.slice(0, 9_000)) heap.cancel(timer)
    assert.strictEqual(heap.size, 1_000)
    assert.strictEqual(heap.nextAt(), 9_000)
    assert.deepStrictEqual(
      drain(heap).map(([at]) => at),
      Array.from({ length: 1_000 }, (_, index) => 9_000 + index)
    )
  })

  it("plans a timer again once it has fired", () => {
    const heap = new TimerHeap()
    const timer = planTimer(heap, 10)
    for (let at = 10; at < 100; at += 10) {
      assert.strictEqual(heap.nextAt(), at)
      heap.fireNext()
      assert.strictEqual(fired, timer)
      assert.strictEqual(heap.nextAt(), Number.POSITIVE_INFINITY)
      heap.add(at + 10, timer)
    }
    assert.strictEqual(heap.size, 1)
  })

  it("fires numbered timers among the others, by time and order of planning", () => {
    const step = fc.record({
      at: fc.integer({ min: 0, max: 20 }),
      act: fc.constantFrom("timer", "number", "cancelled")
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 2000 }), (plan) => {
        const heap = new TimerHeap()
        const found: Array<number> = []
        const planOfOwner = (owner: number) =>
          heap.numbered((number, at) => {
            assert.strictEqual(at, plan[number]?.at)
            assert.strictEqual(number % 2, owner)
            found.push(number)
          })
        const owners = [planOfOwner(0), planOfOwner(1)]
        const cancelled: Array<Timer> = []
        for (const [index, { act, at }] of plan.entries()) {
          if (act === "number") owners[index % 2]?.(index, at)
          else {
            const timer = new Call(() => found.push(index))
            heap.add(at, timer)
            if (act === "cancelled") cancelled.push(timer)
          }
        }
        for (const timer of cancelled) heap.cancel(timer)
        while (heap.nextAt() < Number.POSITIVE_INFINITY) heap.fireNext()
        const expected = [...plan.entries()].filter(([, { act }]) => act !== "cancelled")
        assert.deepStrictEqual(
          found,
          expected.toSorted(([, left], [, right]) => left.at - right.at).map(([index]) => index)
        )
        assert.strictEqual(heap.size, 0)
      })
    )
  })
})
