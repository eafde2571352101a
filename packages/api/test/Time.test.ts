import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { formatMicroTime, formatTime, parseTime } from "../src/index.ts"
import { isMicroTime } from "../src/Time.ts"

const lastMs = Date.UTC(9999, 11, 31, 23, 59, 59)
const seconds = fc.integer({ min: Date.UTC(1, 0, 1) / 1000, max: lastMs / 1000 })

describe("wire times", () => {
  it("agree with the platform's calendar for every second of the first 9999 years", () => {
    fc.assert(
      fc.property(seconds, (second) => {
        const text = formatTime(second * 1000)
        if (second >= Date.UTC(1000, 0, 1) / 1000) {
          assert.strictEqual(text, new Date(second * 1000).toISOString().replace(".000", ""))
        }
        assert.strictEqual(parseTime(text), second * 1000)
      })
    )
  })

  it("keep microseconds through text, and truncate smaller units", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4e9 }), fc.integer({ min: 0, max: 999_999 }), (second, micros) => {
        const ms = second * 1000 + micros / 1000
        const text = formatMicroTime(ms)
        assert.strictEqual(text.slice(20, 26), String(micros).padStart(6, "0"))
        assert.strictEqual(text.length, 27)
        assert.strictEqual(formatMicroTime(parseTime(text)), text)
      })
    )
    assert.strictEqual(formatMicroTime(1_999.9999), "1970-01-01T00:00:01.999999Z")
    assert.strictEqual(formatTime(1_999.9999), "1970-01-01T00:00:01Z")
  })

  it("order as texts as they do in time, which lets heartbeats be compared without parsing", () => {
    const time = fc.integer({ min: 0, max: lastMs })
    fc.assert(
      fc.property(time, time, (a, b) => {
        assert.strictEqual(formatMicroTime(a) < formatMicroTime(b), a < b)
      })
    )
  })

  it("alternate between seconds without mixing them up", () => {
    const texts = [0, 1_000, 0, 86_400_000, 1_000].map(formatTime)
    assert.deepStrictEqual(texts, [
      "1970-01-01T00:00:00Z",
      "1970-01-01T00:00:01Z",
      "1970-01-01T00:00:00Z",
      "1970-01-02T00:00:00Z",
      "1970-01-01T00:00:01Z"
    ])
  })

  it("are read with any fraction and offset", () => {
    assert.strictEqual(parseTime("2024-02-29T23:59:59+02:00"), Date.UTC(2024, 1, 29, 21, 59, 59))
    assert.strictEqual(parseTime("2024-02-29T23:59:59.5-01:30"), Date.UTC(2024, 2, 1, 1, 29, 59, 500))
    assert.strictEqual(parseTime("1970-01-01T00:00:00.123456789Z"), 123.456)
  })

  it("are refused when the time does not exist", () => {
    for (const text of [
      "",
      "2026-01-01",
      "2026-13-01T00:00:00Z",
      "2023-02-29T00:00:00Z",
      "2100-02-29T00:00:00Z",
      "2026-01-01T24:00:00Z",
      "2026-01-01T00:60:00Z",
      "2026-01-01 00:00:00Z",
      "2026-01-01T00:00:00",
      "2026-01-01T00:00:0xZ",
      "2026-01-01T00:00:00.00000xZ"
    ]) {
      assert.isNaN(parseTime(text), text)
    }
  })

  it("as MicroTime have exactly six digits of fraction", () => {
    assert.isTrue(isMicroTime("2026-01-01T00:00:00.000000Z"))
    assert.isTrue(isMicroTime("2026-01-01T00:00:00.000000+01:00"))
    assert.isFalse(isMicroTime("2026-01-01T00:00:00Z"))
    assert.isFalse(isMicroTime("2026-01-01T00:00:00.000Z"))
    assert.isFalse(isMicroTime("2026-02-30T00:00:00.000000Z"))
  })
})
