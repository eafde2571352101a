import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { LongestWait } from "../src/world/LongestWait.ts"

const untilOf = (nowMs: number, ...waits: ReadonlyArray<readonly [fromMs: number, waitMs: number]>) => {
  const longest = new LongestWait()
  for (const [fromMs, waitMs] of waits) longest.add(fromMs, waitMs)
  return longest.until(nowMs)
}

describe("the longest wait", () => {
  it("is one that ended", () => {
    assert.isUndefined(untilOf(100))
    assert.deepStrictEqual(untilOf(100, [0, 0]), { waitMs: 0, endsMs: 0 })
    assert.deepStrictEqual(untilOf(100, [0, 10], [5, 30], [50, 20]), { waitMs: 30, endsMs: 35 })
  })

  it("lasts until the end of the run where it would have ended later", () => {
    assert.deepStrictEqual(untilOf(100, [0, 1000]), { waitMs: 100, endsMs: 100 })
    // What ended had waited longer than what was still waiting.
    assert.deepStrictEqual(untilOf(100, [0, 60], [90, 1000]), { waitMs: 60, endsMs: 60 })
    assert.deepStrictEqual(untilOf(100, [0, 20], [30, 1000], [40, 2000]), { waitMs: 70, endsMs: 100 })
  })

  it("is that of all requests of a limiter, whenever it is asked", () => {
    const gaps = fc.array(fc.tuple(fc.nat(300), fc.boolean()), { minLength: 1, maxLength: 60 })
    fc.assert(
      fc.property(gaps, fc.nat(500), (made, more) => {
        const longest = new LongestWait()
        let [nowMs, freeMs] = [0, 0]
        const all: Array<{ readonly fromMs: number; readonly endsMs: number }> = []
        for (const [gapMs, asks] of made) {
          nowMs += gapMs
          freeMs = Math.max(freeMs, nowMs) + 200
          all.push({ fromMs: nowMs, endsMs: freeMs })
          longest.add(nowMs, freeMs - nowMs)
          if (asks) longest.until(nowMs)
        }
        const endMs = nowMs + more
        const expected = Math.max(...all.map(({ endsMs, fromMs }) => Math.min(endsMs, endMs) - fromMs))
        assert.strictEqual(longest.until(endMs)?.waitMs, expected)
      })
    )
  })
})
