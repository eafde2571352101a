import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { semanticEqual } from "../../src/validation/index.ts"

describe("equality in meaning", () => {
  it("holds between a value and its copy, and takes no notice of empty fields", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const copy = JSON.parse(JSON.stringify(value))
        assert.isTrue(semanticEqual(value, copy))
        assert.isTrue(semanticEqual({ a: value }, { a: copy, b: [], c: {}, d: null, e: "", f: false }))
      })
    )
  })

  it("is the same both ways", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        assert.strictEqual(semanticEqual(a, b), semanticEqual(b, a))
      })
    )
  })

  it("compares amounts by value where amounts stand", () => {
    assert.isTrue(semanticEqual({ limits: { cpu: "1" } }, { limits: { cpu: "1000m" } }))
    assert.isFalse(semanticEqual({ args: "1" }, { args: "1000m" }))
    assert.isFalse(semanticEqual({ limits: { cpu: "1" } }, { limits: { cpu: "2" } }))
  })

  it("tells a zero from nothing", () => {
    assert.isFalse(semanticEqual({ priority: 0 }, {}))
  })
})
