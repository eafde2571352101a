import { assert, describe, it } from "vitest"
import { clock, columns, fold, plural, some, span } from "../src/index.ts"

describe("a moment as a clock", () => {
  it("has minutes, seconds and tenths, and hours where there are", () => {
    assert.deepStrictEqual([0, 5.04, 59.96, 170.3, 3_599.94, 3_600, 36_000.5].map(clock), [
      "00:00.0",
      "00:05.0",
      "01:00.0",
      "02:50.3",
      "59:59.9",
      "1:00:00.0",
      "10:00:00.5"
    ])
  })
})

describe("a duration", () => {
  it("is shown as a person would say it", () => {
    assert.deepStrictEqual([0.44, 10, 41.2, 60, 90, 119.96, 120, 121.4, 301, 3_600, 5_400, 5_461].map(span), [
      "0.4s",
      "10s",
      "41.2s",
      "1m",
      "90s",
      "120s",
      "2m",
      "2m 1s",
      "5m 1s",
      "1h",
      "1h 30m",
      "1h 31m 1s"
    ])
  })

  it("carries seconds that round up to a minute", () => {
    assert.deepStrictEqual([179.7, 3_599.8].map(span), ["3m", "1h"])
  })

  it("is 0s when there is none", () => {
    assert.strictEqual(span(0), "0s")
  })
})

describe("words", () => {
  it("count", () => {
    assert.deepStrictEqual(
      [plural(0, "pod"), plural(1, "pod"), plural(1_234, "pod"), plural(2, "entry", "entries")],
      ["0 pods", "1 pod", "1,234 pods", "2 entries"]
    )
  })

  it("list some of many", () => {
    assert.deepStrictEqual(
      [some([]), some(["a"]), some(["a", "b", "c"]), some(["a", "b", "c", "d", "e"]), some(["a", "b", "c"], 2)],
      ["", "a", "a, b, c", "a, b, c and 2 more", "a, b and 1 more"]
    )
  })
})

describe("layout", () => {
  it("aligns columns, with no padding after the last", () => {
    assert.deepStrictEqual(
      columns([
        ["a", "long cell", "x"],
        ["bcd", "e", ""]
      ]),
      ["  a    long cell  x", "  bcd  e"]
    )
    assert.deepStrictEqual(columns([["a", "b"]], ""), ["a  b"])
  })

  it("wraps at words, and does not break a word that is too long", () => {
    assert.deepStrictEqual(fold("one two three four", 9), ["one two", "three", "four"])
    assert.deepStrictEqual(fold("one two", 7), ["one two"])
    assert.deepStrictEqual(fold("immeasurable it is", 5), ["immeasurable", "it is"])
    assert.deepStrictEqual(fold("", 5), [])
  })
})
