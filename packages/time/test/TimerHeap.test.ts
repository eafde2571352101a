import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import type { Timer } from "../src/index.ts"
import { Call, TimerHeap } from "../src/TimerHeap.ts"

const drain = (heap: TimerHeap): Array<readonly [number, Timer]> => {
  const out: Array<readonly [number, Timer]> = []
  for (let at = heap.nextAt(); at < Number.POSITIVE_INFINITY; at = heap.nextAt()) out.push([at, heap.takeNext()])
  return out
}

const planTimer = (heap: TimerHeap, at: number): Timer => {
  const timer = new Call(() => {})
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
      assert.strictEqual(heap.takeNext(), timer)
      assert.strictEqual(heap.nextAt(), Number.POSITIVE_INFINITY)
      heap.add(at + 10, timer)
    }
    assert.strictEqual(heap.size, 1)
  })
})
