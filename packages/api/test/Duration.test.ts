import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { durationFault, formatDuration, parseDuration } from "../src/index.ts"

describe("Go durations", () => {
  it("print and parse back, to the microsecond", () => {
    fc.assert(
      fc.property(fc.integer({ min: -1e12, max: 1e12 }), (micros) => {
        const ms = micros / 1000
        assert.approximately(parseDuration(formatDuration(ms)), ms, 1e-6 + Math.abs(ms) * 1e-15)
      })
    )
  })

  it("print as Go prints them", () => {
    const texts: ReadonlyArray<readonly [number, string]> = [
      [0, "0s"],
      [0.000001, "1ns"],
      [0.0011, "1.1µs"],
      [2.2, "2.2ms"],
      [3_300, "3.3s"],
      [245_000, "4m5s"],
      [245_001, "4m5.001s"],
      [3_600_000, "1h0m0s"],
      [18_367_001, "5h6m7.001s"],
      [-90_000, "-1m30s"]
    ]
    for (const [ms, text] of texts) assert.strictEqual(formatDuration(ms), text)
  })

  it("accept what Go accepts, and numbers as seconds", () => {
    const read: ReadonlyArray<readonly [string | number, number]> = [
      ["0", 0],
      ["5s", 5_000],
      ["1h30m", 5_400_000],
      ["1.5h", 5_400_000],
      [".5s", 500],
      ["1.s", 1_000],
      ["-1m", -60_000],
      ["+1m", 60_000],
      ["300us", 0.3],
      ["300µs", 0.3],
      [90, 90_000],
      [0.25, 250]
    ]
    for (const [text, ms] of read) assert.approximately(parseDuration(text), ms, 1e-9, String(text))
  })

  it("refuse what Go refuses", () => {
    for (const text of ["", "5", "s", ".s", "1 s", "1d", "-", "1h2", "1h-2m"]) assert.isNaN(parseDuration(text), text)
  })
})

describe("an invalid duration", () => {
  it("is quoted as Go's time package does, by its bytes beyond ASCII", () => {
    assert.strictEqual(durationFault('a"\\'), 'time: invalid duration "a\\"\\\\"')
    assert.strictEqual(durationFault("é\n\udcff"), 'time: invalid duration "\\xc3\\xa9\\x0a\\xff"')
    assert.strictEqual(durationFault("\ud800"), 'time: invalid duration "\\xef\\xbf\\xbd"')
    assert.strictEqual(durationFault("1ü"), 'time: unknown unit "\\xc3\\xbc" in duration "1\\xc3\\xbc"')
  })
})
