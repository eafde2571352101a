import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { type Timer, TimerHeap } from "../src/index.ts"

const drain = (heap: TimerHeap): Array<Timer> => {
  const out: Array<Timer> = []
  for (let timer = heap.popDue(Number.MAX_VALUE); timer !== undefined; timer = heap.popDue(Number.MAX_VALUE)) {
    out.push(timer)
  }
  return out
}

describe("TimerHeap", () => {
  it("hands out by time, then by order of insertion, without those cancelled", () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ at: fc.integer({ min: 0, max: 20 }), cancelled: fc.boolean() }), { maxLength: 300 }),
        (plan) => {
          const heap = new TimerHeap()
          const timers = plan.map(({ at }) => heap.add(at, () => {}))
          const kept = timers.filter((timer, index) => {
            if (plan[index]?.cancelled !== true) return true
            heap.cancel(timer)
            heap.cancel(timer)
            return false
          })
          assert.strictEqual(heap.size, kept.length)
          const expected = kept.toSorted((a, b) => a.at - b.at || a.sequence - b.sequence)
          assert.deepStrictEqual(drain(heap), expected)
        }
      )
    )
  })

  it("stays small when most of many timers are cancelled", () => {
    const heap = new TimerHeap()
    const timers = Array.from({ length: 10_000 }, (_, index) => heap.add(index, () => {}))
    for (const timer of timers.slice(0, 9_000)) heap.cancel(timer)
    assert.strictEqual(heap.size, 1_000)
    assert.strictEqual(heap.nextAt(), 9_000)
    assert.deepStrictEqual(
      drain(heap).map((timer) => timer.at),
      Array.from({ length: 1_000 }, (_, index) => 9_000 + index)
    )
  })

  it("keeps a timer until it is due", () => {
    const heap = new TimerHeap()
    heap.add(10, () => {})
    assert.isUndefined(heap.popDue(9.999))
    assert.strictEqual(heap.popDue(10)?.at, 10)
    assert.strictEqual(heap.nextAt(), Number.POSITIVE_INFINITY)
  })
})
