import { assert, describe, it } from "@effect/vitest"
import { defaultDisruptionFlags, done, EvictionZones, limiterRate } from "../src/rules.ts"

const makeZones = (terminates = false) => new EvictionZones(defaultDisruptionFlags, terminates)

describe("EvictionZones", () => {
  it("are listed in order of key, not of creation", () => {
    const all = makeZones()
    all.of("b")
    all.of("a")
    assert.deepStrictEqual(
      all.all().map(({ key }) => key),
      ["a", "b"]
    )
    assert.strictEqual(all.of("b"), all.get("b"))
    assert.isUndefined(all.get("c"))
  })

  it("get their state from the counts, and are forgotten without any", () => {
    const all = makeZones()
    assert.isTrue(all.register("a"))
    assert.isFalse(all.register("a"))
    all.of("a").count(true)
    all.of("a").count(false, 2)
    all.of("a").count(false, -1)
    assert.deepStrictEqual([...all.counts()], [["a", { ready: 1, notReady: 1 }]])
    const decision = all.decide()
    assert.strictEqual(all.of("a").state, "Initial")
    all.remember(decision)
    assert.strictEqual(all.of("a").state, "Normal")
    all.resetCounts()
    const gone = all.decide()
    assert.deepStrictEqual(gone.vanished, ["a"])
    all.remember(gone)
    assert.isUndefined(all.of("a").state)
  })

  it("have new queues when they reappear after they were forgotten", () => {
    const all = makeZones(true)
    const zone = all.of("a")
    zone.queue.add("m", 0)
    // It was never registered: what was queued before is dropped with the queue.
    assert.isTrue(all.register("a"))
    assert.strictEqual(all.of("a"), zone)
    assert.strictEqual(zone.queue.size, 0)
    zone.queue.add("m", 0)
    zone.terminating?.add("m", 0)
    zone.state = undefined
    assert.isTrue(all.register("a"))
    assert.deepStrictEqual([zone.queue.size, zone.terminating?.size], [0, 0])
  })

  it("cancel a member in both queues, and change the rate of both", () => {
    const zone = makeZones(true).of("a")
    zone.queue.add("m", 0)
    zone.terminating?.add("n", 0)
    assert.deepStrictEqual([zone.cancel("m"), zone.cancel("n"), zone.cancel("n")], [true, true, false])
    assert.strictEqual(limiterRate(zone.swapLimiter(0.01, 0)), 0.01)
    assert.strictEqual(zone.terminating?.limiter.qps, 0.01)
    assert.strictEqual(limiterRate(zone.swapLimiter(0, 0)), 0)
    assert.isUndefined(makeZones().of("a").terminating)
  })

  it("list queued members in the order in which they are due", () => {
    const { queue } = makeZones().of("a")
    for (const [index, name] of ["c", "a", "b", "d"].entries()) queue.add(name, index)
    const first = queue.next(5)
    if (first !== undefined) queue.settle(first, done, 5)
    queue.remove("a")
    queue.add("a", 9)
    assert.deepStrictEqual(queue.inOrder(), ["b", "d", "a"])
  })
})
