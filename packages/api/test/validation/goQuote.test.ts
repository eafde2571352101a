import { assert, describe, it } from "@effect/vitest"
import { goJson, goQuote } from "../../src/validation/goFormat.ts"

describe("a byte that is no UTF-8", () => {
  it("is printed as a byte in quotes, and replaced in JSON", () => {
    assert.strictEqual(goQuote("M\udce9t\u00e9"), '"M\\xe9t\u00e9"')
    assert.strictEqual(goJson({ type: "M\udce9t" }), '{"type":"M\\ufffdt"}')
  })
})
