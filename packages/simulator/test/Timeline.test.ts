import { assert, describe, it } from "vitest"
import { makeTimeline } from "../src/expect/Timeline.ts"

const isTwo = (value: number) => value === 2

describe("a timeline", () => {
  it("keeps only changes, each with its time", () => {
    const timeline = makeTimeline(0)
    timeline.set(1_000, 1)
    timeline.set(2_000, 1)
    timeline.set(3_000, 2)
    assert.strictEqual(timeline.now(), 2)
    assert.deepStrictEqual(timeline.changes(), [
      [Number.NEGATIVE_INFINITY, 0],
      [1_000, 1],
      [3_000, 2]
    ])
  })

  it("drops a value that is replaced at the same time", () => {
    const timeline = makeTimeline(0)
    timeline.set(1_000, 1)
    timeline.set(1_000, 2)
    timeline.set(1_000, 3)
    assert.deepStrictEqual(timeline.changes().slice(1), [[1_000, 3]])
    assert.isUndefined(timeline.firstWhere(isTwo, 0, 5_000))
  })

  it("records no change if the old value returns at the same time", () => {
    const timeline = makeTimeline(0)
    timeline.set(1_000, 1)
    timeline.set(2_000, 2)
    timeline.set(2_000, 1)
    timeline.set(3_000, 4)
    timeline.set(3_000, 1)
    assert.deepStrictEqual(timeline.changes().slice(1), [[1_000, 1]])
  })

  it("finds the first time in a window at which a test holds", () => {
    const timeline = makeTimeline(0)
    timeline.set(1_000, 2)
    timeline.set(2_000, 3)
    timeline.set(4_000, 2)
    assert.strictEqual(timeline.firstWhere(isTwo, 0, 9_000), 1_000)
    assert.strictEqual(timeline.firstWhere(isTwo, 0, 1_000), 1_000)
    assert.isUndefined(timeline.firstWhere(isTwo, 0, 999))
    assert.strictEqual(timeline.firstWhere(isTwo, 1_500, 9_000), 1_500)
    assert.strictEqual(timeline.firstWhere(isTwo, 1_999, 9_000), 1_999)
    assert.strictEqual(timeline.firstWhere(isTwo, 2_000, 9_000), 4_000)
    assert.isUndefined(timeline.firstWhere(isTwo, 2_000, 3_999))
    assert.strictEqual(
      timeline.firstWhere((value) => value === 0, 0, 9_000),
      0
    )
  })
})
