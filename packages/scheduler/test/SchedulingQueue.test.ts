import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { type PodInfo, SchedulingCache } from "../src/index.ts"
import { SchedulingQueue } from "../src/queue/SchedulingQueue.ts"
import { podNamed } from "./withScheduler.ts"

const cache = new SchedulingCache()
const infoOf = (name: string, priority = 0): PodInfo => cache.describe(podNamed(name, "1", { priority }))

/** Takes a pod out and rejects it, so that it waits for events about the plugin. */
const reject = (queue: SchedulingQueue, now: number, plugin = "NodeResourcesFit") => {
  const queued = queue.pop()
  if (queued === undefined) throw new Error("the queue is empty")
  queue.returnRejected(queued, [plugin], now)
  return queued
}

const names = (queue: SchedulingQueue): ReadonlyArray<string> => {
  const popped: Array<string> = []
  for (let queued = queue.pop(); queued !== undefined; queued = queue.pop()) popped.push(queued.info.name)
  return popped
}

describe("SchedulingQueue", () => {
  it("hands out the highest priority first, then the longest waiting", () => {
    const queue = new SchedulingQueue()
    queue.add(infoOf("old"), 0)
    queue.add(infoOf("new"), 1)
    queue.add(infoOf("high", 5), 2)
    queue.add(infoOf("same-time"), 1)
    assert.deepStrictEqual(names(queue), ["high", "old", "new", "same-time"])
  })

  it("backs off to the end of the second, though an idle scheduler does not wait for it", () => {
    const queue = new SchedulingQueue()
    queue.add(infoOf("a"), 0)
    queue.add(infoOf("b"), 0)
    const a = reject(queue, 400)
    queue.requeueWhere(() => true, 500)
    // Failed at 0.4 s, backs off 1 s: until second 1, free once that is over.
    assert.strictEqual(a.waitingIn, "backoff")
    assert.strictEqual(queue.nextFlushAt(), 2000)
    queue.flushBackoff(1999)
    assert.strictEqual(a.waitingIn, "backoff")
    assert.deepStrictEqual(names(queue), ["b", "a"])
    queue.returnRejected(a, ["NodeResourcesFit"], 3000)
    queue.requeueWhere(() => true, 3000)
    // The second failure: 2 s.
    queue.flushBackoff(5999)
    assert.strictEqual(a.waitingIn, "backoff")
    queue.flushBackoff(6000)
    assert.strictEqual(a.waitingIn, "active")
  })

  it("goes straight to the active queue when the back-off has passed before the event", () => {
    const queue = new SchedulingQueue()
    queue.add(infoOf("a"), 0)
    const a = reject(queue, 400)
    queue.requeueWhere(() => true, 2400)
    assert.strictEqual(a.waitingIn, "active")
  })

  it("keeps pods whose attempt ended in an error for their whole back-off", () => {
    const queue = new SchedulingQueue()
    queue.add(infoOf("a"), 0)
    const a = queue.pop()
    if (a === undefined) throw new Error("empty")
    queue.returnFailed(a, 0)
    assert.strictEqual(queue.pop(), undefined)
    queue.flushBackoff(1999)
    assert.strictEqual(queue.pop(), undefined)
    queue.flushBackoff(2000)
    assert.strictEqual(queue.pop(), a)
  })

  it("lets a pod wait five minutes for an event, and no millisecond longer", () => {
    const queue = new SchedulingQueue()
    queue.add(infoOf("a"), 0)
    reject(queue, 1000)
    assert.strictEqual(queue.requeueStale(301_000), 0)
    assert.strictEqual(queue.requeueStale(301_001), 1)
  })

  it("requeues only pods whose hint accepts the event", () => {
    const queue = new SchedulingQueue()
    queue.add(infoOf("a"), 0)
    queue.add(infoOf("b"), 0)
    reject(queue, 0, "NodeAffinity")
    reject(queue, 0, "TaintToleration")
    assert.strictEqual(
      queue.requeueWhere(({ plugins }) => plugins.includes("TaintToleration"), 20_000),
      1
    )
    assert.deepStrictEqual(names(queue), ["b"])
  })

  it("does not requeue a pod that was deleted during its attempt", () => {
    const queue = new SchedulingQueue()
    queue.add(infoOf("a"), 0)
    const a = queue.pop()
    if (a === undefined) throw new Error("empty")
    queue.delete(a.info.key)
    queue.returnRejected(a, ["NodeResourcesFit"], 0)
    queue.returnFailed(a, 0)
    assert.strictEqual(queue.size, 0)
    assert.strictEqual(queue.unschedulableSize, 0)
    queue.flushBackoff(100_000)
    assert.strictEqual(queue.pop(), undefined)
  })

  it("never loses a pod, and never hands one out twice", () => {
    const act = fc.record({
      kind: fc.constantFrom("add", "delete", "pop", "reject", "fail", "release", "stale", "flush", "update"),
      pod: fc.integer({ min: 0, max: 7 }),
      wait: fc.integer({ min: 0, max: 40_000 })
    })
    fc.assert(
      fc.property(fc.array(act, { maxLength: 120 }), (acts) => {
        const queue = new SchedulingQueue()
        const known = new Set<string>()
        const taken = new Map<string, NonNullable<ReturnType<SchedulingQueue["pop"]>>>()
        let now = 0
        for (const { kind, pod, wait } of acts) {
          now += wait
          const info = infoOf(`p${pod}`, pod % 3)
          const held = taken.get(info.key)
          if (kind === "add") {
            queue.add(info, now)
            known.add(info.key)
          } else if (kind === "delete") {
            queue.delete(info.key)
            known.delete(info.key)
            taken.delete(info.key)
          } else if (kind === "pop") {
            const queued = queue.pop()
            if (queued === undefined) continue
            assert.isTrue(known.has(queued.info.key))
            assert.isFalse(taken.has(queued.info.key))
            taken.set(queued.info.key, queued)
          } else if (kind === "reject" && held !== undefined) {
            queue.returnRejected(held, ["NodeResourcesFit"], now)
            taken.delete(info.key)
          } else if (kind === "fail" && held !== undefined) {
            queue.returnFailed(held, now)
            taken.delete(info.key)
          } else if (kind === "release") queue.requeueWhere(({ info: { name } }) => name === `p${pod}`, now)
          else if (kind === "stale") queue.requeueStale(now)
          else if (kind === "flush") queue.flushBackoff(now)
          else if (kind === "update") queue.update(info)
          assert.strictEqual(queue.size, known.size)
        }
        now += 1_000_000
        queue.requeueStale(now)
        queue.flushBackoff(now)
        for (let queued = queue.pop(); queued !== undefined; queued = queue.pop()) {
          assert.isFalse(taken.has(queued.info.key))
          taken.set(queued.info.key, queued)
        }
        assert.deepStrictEqual([...taken.keys()].sort(), [...known].sort())
      }),
      { numRuns: 300 }
    )
  })
})
