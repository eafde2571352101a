import { assert, describe, it } from "@effect/vitest"
import { goJson, goQuote } from "../../src/validation/goFormat.ts"

describe("a byte that is no UTF-8", () => {
  it("is printed as a byte in quotes, and replaced in JSON", () => {
    assert.strictEqual(goQuote("M\udce9t\u00e9"), '"M\\xe9t\u00e9"')
    assert.strictEqual(goJson({ type: "M\udce9t" }), '{"type":"M\\ufffdt"}')
  })
})

describe("a text in quotes", () => {
  const characters: ReadonlyArray<readonly [string, string]> = [
    ["a", "a"],
    ['"', '\\"'],
    ["\\", "\\\\"],
    ["\n", "\\n"],
    ["\u0001", "\\x01"],
    ["\u007f", "\\x7f"],
    ["\u00e9", "\u00e9"],
    ["\u00ad", "\\u00ad"],
    ["\u200b", "\\u200b"],
    ["\udcff", "\\xff"],
    ["\u{1f600}", "\u{1f600}"],
    ["\u{e0001}", "\\U000e0001"]
  ]

  it("has Go's escape sequences, however long it is", () => {
    for (const [character, quoted] of characters) {
      // Around the ends of the chunks that it is made in.
      for (const count of [1, 816, 817, 818, 8191, 8192, 8193, 20_000]) {
        const expected = `"b${quoted.repeat(count)}c"`
        assert.strictEqual(goQuote(`b${character.repeat(count)}c`), expected, `${count} of ${expected.slice(0, 14)}`)
      }
    }
    const mixed = characters.map(([character]) => character).join("")
    const quoted = characters.map(([, escaped]) => escaped).join("")
    assert.strictEqual(goQuote(mixed.repeat(3000)), `"${quoted.repeat(3000)}"`)
  })
})
