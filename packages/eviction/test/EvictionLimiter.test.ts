import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as References from "effect/References"
import * as TestClock from "effect/testing/TestClock"
import { EvictionLimiter, type EvictionLimiterOptions } from "../src/index.ts"
import { done, retryAfter, type ZoneCounts } from "../src/rules.ts"

const counts = (zones: Readonly<Record<string, readonly [ready: number, notReady: number]>>) =>
  new Map<string, ZoneCounts>(
    Object.entries(zones).map(([zone, [ready, notReady]]) => [zone, { ready, notReady }] as const)
  )

/** A limiter that records each eviction with its time in seconds. */
const makeRecordingLimiter = (
  options: Omit<EvictionLimiterOptions, "evict"> = {},
  answer: EvictionLimiterOptions["evict"] = () => Effect.succeed(done)
) => {
  const evicted: Array<string> = []
  const layer = EvictionLimiter.layer({
    ...options,
    evict: (member, zone, turn) =>
      Effect.gen(function* () {
        evicted.push(`${member} ${(yield* Clock.currentTimeMillis) / 1000}`)
        return yield* answer(member, zone, turn)
      })
  })
  return { evicted, layer }
}

describe("EvictionLimiter", () => {
  it.effect("evicts one member each ten seconds in a zone, and each zone at its own rate", () => {
    const { evicted, layer } = makeRecordingLimiter()
    return Effect.gen(function* () {
      const limiter = yield* EvictionLimiter
      yield* limiter.observe(counts({ a: [9, 3], b: [9, 1] }))
      for (const member of ["a1", "a2", "a3"]) assert.isTrue(yield* limiter.add("a", member))
      assert.isTrue(yield* limiter.add("b", "b1"))
      assert.isFalse(yield* limiter.add("a", "a1"))
      yield* TestClock.adjust("9 seconds")
      assert.isTrue(yield* limiter.remove("a", "a3"))
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(evicted, ["a1 0", "b1 0", "a2 10"])
      assert.isFalse(yield* limiter.add("a", "a1"))
    }).pipe(Effect.provide(layer))
  })

  it.effect("stops a small zone that is half dead, and everything when all zones are dead", () => {
    const states: Array<string> = []
    const { evicted, layer } = makeRecordingLimiter({
      observer: { onZoneState: (zone, before, after) => states.push(`${zone}: ${before} to ${after}`) }
    })
    return Effect.gen(function* () {
      const limiter = yield* EvictionLimiter
      yield* limiter.observe(counts({ a: [4, 0], b: [4, 0] }))
      yield* limiter.observe(counts({ a: [1, 3], b: [4, 0] }))
      yield* limiter.add("a", "a1")
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(evicted, [])
      assert.strictEqual((yield* limiter.observe(counts({ a: [0, 4], b: [0, 4] }))).mode, "enterAllZonesDown")
      yield* limiter.add("b", "b1")
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(evicted, [])
      assert.strictEqual((yield* limiter.observe(counts({ a: [0, 4], b: [4, 0] }))).mode, "exitAllZonesDown")
      yield* TestClock.adjust("30 seconds")
      // Buckets are drained on the way back: the first evictions come ten seconds later.
      assert.deepStrictEqual(evicted, ["a1 130", "b1 130"])
      assert.deepStrictEqual(states.slice(2), [
        "a: Normal to PartialDisruption",
        "a: PartialDisruption to FullDisruption",
        "b: Normal to FullDisruption",
        "b: FullDisruption to Normal"
      ])
      assert.strictEqual(limiter.zones.get("a")?.state, "FullDisruption")
    }).pipe(Effect.provide(layer))
  })

  it.effect("retries a failed eviction, for another token", () => {
    let tries = 0
    const { evicted, layer } = makeRecordingLimiter({}, () => Effect.sync(() => (++tries < 3 ? retryAfter(50) : done)))
    return Effect.gen(function* () {
      const limiter = yield* EvictionLimiter
      yield* limiter.add("a", "a1")
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(evicted, ["a1 0", "a1 10", "a1 20"])
      assert.deepStrictEqual(limiter.zones.of("a").queue.queued(), [])
    }).pipe(Effect.provide(layer))
  })

  it.effect("changes a rate only after the eviction in progress", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const { layer } = makeRecordingLimiter({}, () => Effect.as(Deferred.await(gate), done))
      yield* Effect.gen(function* () {
        const limiter = yield* EvictionLimiter
        yield* limiter.observe(counts({ a: [4, 0] }))
        yield* limiter.add("a", "a1")
        yield* TestClock.adjust("1 second")
        const observing = yield* Effect.forkChild(limiter.observe(counts({ a: [0, 4] })))
        yield* TestClock.adjust("1 second")
        assert.strictEqual(observing.pollUnsafe(), undefined)
        assert.strictEqual(limiter.zones.of("a").queue.limiter.kind, "tokenBucket")
        yield* Deferred.succeed(gate, undefined)
        yield* Fiber.join(observing)
        assert.strictEqual(limiter.zones.of("a").queue.limiter.kind, "never")
      }).pipe(Effect.provide(layer))
    })
  )

  it.effect("gives a zone that comes back a full bucket and an empty queue, and ends with its layer", () => {
    const { evicted, layer } = makeRecordingLimiter()
    return Effect.gen(function* () {
      yield* Effect.gen(function* () {
        const limiter = yield* EvictionLimiter
        yield* limiter.observe(counts({ a: [1, 1], b: [1, 0] }))
        yield* limiter.add("a", "a1")
        yield* TestClock.adjust("1 second")
        yield* limiter.add("a", "lost")
        yield* limiter.observe(counts({ b: [1, 0] }))
        assert.strictEqual(limiter.zones.get("a")?.state, undefined)
        assert.deepStrictEqual(limiter.zones.of("a").queue.queued(), ["lost"])
        yield* limiter.observe(counts({ a: [1, 1], b: [1, 0] }))
        assert.deepStrictEqual(limiter.zones.of("a").queue.queued(), [])
        assert.isTrue(yield* limiter.add("a", "a1"))
        yield* TestClock.adjust("1 second")
        yield* limiter.add("a", "a2")
      }).pipe(Effect.provide(layer))
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(evicted, ["a1 0", "a1 1.1"])
    })
  })

  it.effect("evicts the next member, and retries the failed one later, when an eviction or an observer throws", () => {
    let faulty = true
    const throwing = () => {
      if (faulty) throw new Error("by hand")
    }
    const { evicted, layer } = makeRecordingLimiter({ observer: { onEvicted: throwing } }, (member) => {
      if (member === "a1") throwing()
      return Effect.succeed(done)
    })
    return Effect.gen(function* () {
      const limiter = yield* EvictionLimiter
      yield* limiter.observe(counts({ a: [9, 3] }))
      for (const member of ["a1", "a2"]) yield* limiter.add("a", member)
      yield* TestClock.adjust("15 seconds")
      faulty = false
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(
        evicted.map((line) => line.split(" ")[0]),
        ["a1", "a2", "a1"]
      )
    }).pipe(Effect.provide(layer), Effect.provideService(References.MinimumLogLevel, "None"))
  })

  it.effect("waits for its start, and terminates members at the rate of their zone", () =>
    Effect.gen(function* () {
      const start = yield* Deferred.make<void>()
      const ended: Array<string> = []
      const { evicted, layer } = makeRecordingLimiter(
        {
          start: Deferred.await(start),
          terminate: (member, zone, { addedAt }) =>
            Effect.sync(() => {
              ended.push(`${member} of ${zone} since ${addedAt / 1000}`)
              return done
            })
        },
        (member, _, { zone }) =>
          Effect.map(Clock.currentTimeMillis, (now) => {
            zone.terminating?.add(member, now)
            return done
          })
      )
      yield* Effect.gen(function* () {
        const limiter = yield* EvictionLimiter
        for (const member of ["a1", "a2"]) yield* limiter.add("a", member)
        yield* TestClock.adjust("1 minute")
        assert.deepStrictEqual(evicted, [])
        yield* Deferred.succeed(start, undefined)
        yield* TestClock.adjust("1 minute")
        assert.deepStrictEqual(evicted, ["a1 60", "a2 70"])
        assert.deepStrictEqual(ended, ["a1 of a since 60", "a2 of a since 70"])
      }).pipe(Effect.provide(layer))
    })
  )

  it.effect("notifies its observer of zones, counts, rates, and of all zones being down", () => {
    const told: Array<string> = []
    const { layer } = makeRecordingLimiter({
      observer: {
        onZone: (zone) => told.push(`zone ${zone}`),
        onHealth: (zone, { notReady, size }) => told.push(`${zone} ${notReady} of ${size}`),
        onAllZonesDown: (entered) => told.push(`all down ${entered}`),
        onRate: (zone, rate) => told.push(`${zone} ${rate}/s`)
      }
    })
    return Effect.gen(function* () {
      const limiter = yield* EvictionLimiter
      yield* limiter.observe(counts({ a: [4, 0] }))
      yield* limiter.observe(counts({ a: [0, 4] }))
      limiter.zones.resetCounts()
      limiter.zones.of("a").count(true)
      yield* limiter.handleDisruption(({ mode }) => Effect.sync(() => told.push(mode)))
      assert.deepStrictEqual(told, [
        "zone a",
        "a 0 of 4",
        "a 4 of 4",
        "all down true",
        "a 0/s",
        "a 0 of 1",
        "all down false",
        "exitAllZonesDown",
        "a 0.1/s"
      ])
    }).pipe(Effect.provide(layer))
  })

  it.effect("runs the next pass after one that throws", () => {
    const { evicted, layer } = makeRecordingLimiter()
    return Effect.gen(function* () {
      const { add, zones } = yield* EvictionLimiter
      const all = zones.all.bind(zones)
      let looks = 0
      zones.all = () => {
        if (++looks === 2) throw new Error("by hand")
        return all()
      }
      yield* TestClock.adjust("1 second")
      yield* add("a", "a1")
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(evicted, ["a1 1.1"])
      assert.isAbove(looks, 10)
    }).pipe(Effect.provide(layer), Effect.provideService(References.MinimumLogLevel, "None"))
  })
})
