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
    // Near, within one round of the wheel of numbered timers, and many rounds away.
    const delay = fc.oneof(
      fc.integer({ min: 0, max: 20 }),
      fc.double({ min: 0, max: 50_000, noNaN: true }),
      fc.integer({ min: 0, max: 1_000_000 })
    )
    const step = fc.record({
      delay,
      act: fc.constantFrom("timer", "number", "number", "cancel", "fire"),
      who: fc.nat({ max: 199 })
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 1000 }), (plan) => {
        const heap = new TimerHeap()
        let planned: ReadonlyArray<readonly [timeMs: number, key: string]> = []
        const found: Array<readonly [timeMs: number, key: string]> = []
        let now = 1_700_000_000_000
        const owners = [0, 1].map((owner) => heap.numbered((number, at) => found.push([at, `${owner}:${number}`])))
        const remove = (key: string) => {
          planned = planned.filter(([, other]) => other !== key)
        }
        const fireNext = () => {
          const at = heap.nextAt()
          const [first] = planned.toSorted(([left], [right]) => left - right)
          assert.strictEqual(at, first?.[0] ?? Number.POSITIVE_INFINITY)
          if (first === undefined) return
          now = at
          heap.fireNext()
          assert.deepStrictEqual(found.pop(), first)
          remove(first[1])
        }
        for (const [index, { act, delay, who }] of plan.entries()) {
          const numbered = owners[who % 2]
          const key = act === "timer" ? `timer ${index}` : `${who % 2}:${who}`
          if (act === "fire") fireNext()
          else {
            remove(key)
            if (act === "cancel") numbered?.cancel(who)
            else {
              const at = now + delay
              planned = [...planned, [at, key]]
              if (act === "number") numbered?.plan(who, at)
              else heap.add(at, new Call(() => found.push([at, key])))
            }
          }
          assert.strictEqual(heap.size, planned.length)
        }
        while (planned.length > 0) fireNext()
        assert.strictEqual(heap.nextAt(), Number.POSITIVE_INFINITY)
      })
    )
  })

  it("fires many numbered timers of one instant in the order of planning, and none at infinity", () => {
    const heap = new TimerHeap()
    const found: Array<number> = []
    const { plan } = heap.numbered((number) => found.push(number))
    for (let number = 0; number < 1000; number++) plan((number * 7) % 1000, 50_000 + (number % 3))
    plan(1000, Number.POSITIVE_INFINITY)
    while (heap.nextAt() < Number.POSITIVE_INFINITY) heap.fireNext()
    const inOrder = [0, 1, 2].flatMap((rest) =>
      Array.from({ length: 1000 }, (_, number) => number).filter((number) => number % 3 === rest)
    )
    assert.deepStrictEqual(
      found,
      inOrder.map((number) => (number * 7) % 1000)
    )
  })
})
