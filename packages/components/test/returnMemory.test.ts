import { getHeapStatistics } from "node:v8"
import { it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { assert, describe } from "vitest"
import { GarbageWatch, heldBytes, isWorthwhile, mayGrow } from "../src/apiserver/GarbageWatch.ts"
import { collectInSteps } from "../src/apiserver/returnMemory.ts"

const MIB = 1024 * 1024
const CHECK_PERIOD_MS = 2000
const IDLE_SHARE = 0.2
const BUSY_SHARE = 0.9

/** Leaves garbage outside of the heap. */
const makeGarbage = (bytes: number): void => void Buffer.alloc(bytes)

/** Returns the actions for a sequence of held MiB. */
const watchHeap = (watch: GarbageWatch, held: ReadonlyArray<number>, busyShare = IDLE_SHARE, fromMs = 0) =>
  held.map((mebibytes, index) => watch.check(fromMs + index * CHECK_PERIOD_MS, mebibytes * MIB, busyShare))

describe("the garbage of a burst", () => {
  it("is returned from 40 MiB and a quarter of the memory in use on, and always from 64 MiB on", () => {
    assert.isFalse(isWorthwhile(48 * MIB, 8 * MIB))
    assert.isTrue(isWorthwhile(48 * MIB + 1, 8 * MIB))
    assert.isFalse(isWorthwhile(250 * MIB, 200 * MIB))
    assert.isTrue(isWorthwhile(250 * MIB + 1, 200 * MIB))
    assert.isFalse(isWorthwhile(664 * MIB, 600 * MIB))
    assert.isTrue(isWorthwhile(664 * MIB + 1, 600 * MIB))
  })

  it("is collected after two checks of an idle process", () => {
    assert.deepStrictEqual(watchHeap(new GarbageWatch(), [100, 100]), [undefined, "collect"])
    assert.deepStrictEqual(watchHeap(new GarbageWatch(), [100, 20, 100]), [undefined, undefined, undefined])
    assert.deepStrictEqual(watchHeap(new GarbageWatch(), [100, 100, 100, 100], BUSY_SHARE), [
      undefined,
      undefined,
      undefined,
      undefined
    ])
  })

  it("is collected at two checks of a process that has started and is not busy, however little it is", () => {
    const watch = new GarbageWatch({ collectsStart: true })
    assert.deepStrictEqual(watchHeap(watch, [20, 20], BUSY_SHARE), [undefined, undefined])
    assert.deepStrictEqual(watchHeap(watch, [20, 20, 20], IDLE_SHARE, 4000), ["collect", "shrink", undefined])
    assert.deepStrictEqual(watchHeap(watch, [20, 20, 20], IDLE_SHARE, 20_000), ["restore", undefined, undefined])
  })

  it("is measured from the least held since the last collection", () => {
    const watch = new GarbageWatch()
    // Marking is incremental: the effect of a collection shows later, and again when the heap has shrunk.
    assert.deepStrictEqual(watchHeap(watch, [400, 400, 400, 150, 150, 100, 100, 100, 100, 100]), [
      undefined,
      "collect",
      ...Array.from({ length: 7 }, () => undefined),
      "restore"
    ])
    assert.deepStrictEqual(watchHeap(watch, [120, 140, 141, 141], IDLE_SHARE, 20_000), [
      undefined,
      undefined,
      undefined,
      "collect"
    ])
  })

  it("is collected again after a collection during the burst freed little", () => {
    const watch = new GarbageWatch()
    const quiet = Array.from({ length: 8 }, () => 100)
    assert.strictEqual(watchHeap(watch, [200, 200, ...quiet])[1], "collect")
    const collections = watchHeap(
      watch,
      Array.from({ length: 120 }, () => 300),
      IDLE_SHARE,
      20_000
    ).flatMap((measure, index) => (measure === "collect" ? [index * (CHECK_PERIOD_MS / 1000)] : []))
    // Seconds: 15 of returning memory, then waits of 0, 5, 10, 20, 40.
    assert.deepStrictEqual(collections, [2, 20, 44, 72, 110, 168])
    assert.notInclude(
      watchHeap(
        watch,
        Array.from({ length: 12 }, () => 110),
        IDLE_SHARE,
        260_000
      ).slice(2),
      "collect"
    )
  })

  it("counts as in use after collections freed little for ten minutes", () => {
    const watch = new GarbageWatch()
    const hour = Array.from({ length: 1800 }, () => 300)
    assert.strictEqual(watchHeap(watch, [200, 200, 100, 100, 100, 100, 100, 100, 100, 100])[1], "collect")
    const collections = watchHeap(watch, hour, IDLE_SHARE, 20_000).filter((measure) => measure === "collect")
    assert.strictEqual(collections.length, 9)
  })

  it("is not collected while a busy process needs its heap", () => {
    const watch = new GarbageWatch()
    watchHeap(watch, [100, 100])
    assert.deepStrictEqual(watchHeap(watch, [200, 200, 200], BUSY_SHARE, 4000), ["restore", undefined, undefined])
  })

  it("excludes 32 MiB of new space", () => {
    assert.strictEqual(heldBytes(100 * MIB, 16 * MIB, 10 * MIB), 94 * MIB)
    assert.strictEqual(heldBytes(200 * MIB, 128 * MIB, 10 * MIB), 178 * MIB)
  })

  it("includes new space that only a busy process needs", () => {
    assert.deepStrictEqual(
      [mayGrow(31 * MIB, IDLE_SHARE), mayGrow(32 * MIB, IDLE_SHARE), mayGrow(64 * MIB, BUSY_SHARE)],
      [true, false, true]
    )
  })

  it("is collected at once in an idle process whose new space is large, and not again for a minute", () => {
    const watch = new GarbageWatch()
    const asked = [
      [0, 16, 0.03],
      [2000, 7, 0.01],
      [4000, 16, 0.01],
      [6000, 16, 0.01],
      [19_000, 16, 0.01],
      [63_999, 16, 0.01],
      [64_000, 8, 0.01]
    ] as const
    const actions = asked.map(([nowMs, mebibytes, share]) => watch.check(nowMs, 0, share, mebibytes * MIB))
    // What is worth more is collected first.
    assert.deepStrictEqual(
      [200, 200].map((mebibytes, index) => watch.check(200_000 + index, mebibytes * MIB, 0.01, 16 * MIB)),
      [undefined, "collect"]
    )
    assert.deepStrictEqual(actions, [undefined, undefined, "shrink", undefined, undefined, undefined, "shrink"])
  })

  it.live("is collected even without further allocations", () =>
    Effect.gen(function* () {
      const held = () => getHeapStatistics().external_memory
      const before = held()
      makeGarbage(100 * MIB)
      assert.isAtLeast(held(), before + 100 * MIB)
      // What is allocated while V8 marks survives that collection, which another test may have begun. The server repeats it, too.
      for (let waits = 0; held() >= before + 100 * MIB; waits++) {
        if (waits % 500 === 0) collectInSteps()
        yield* Effect.sleep("10 millis")
      }
    })
  )
})
