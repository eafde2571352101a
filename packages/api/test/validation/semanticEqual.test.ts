import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { semanticEqual } from "../../src/validation/index.ts"

describe("semantic equality", () => {
  it("holds between a value and its copy, and ignores empty fields", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const copy = JSON.parse(JSON.stringify(value))
        assert.isTrue(semanticEqual(value, copy))
        assert.isTrue(semanticEqual({ a: value }, { a: copy, b: [], c: {}, d: null, e: "", f: false }))
      })
    )
  })

  it("is symmetric", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        assert.strictEqual(semanticEqual(a, b), semanticEqual(b, a))
      })
    )
  })

  it("compares quantities by value", () => {
    assert.isTrue(semanticEqual({ limits: { cpu: "1" } }, { limits: { cpu: "1000m" } }))
    assert.isFalse(semanticEqual({ args: "1" }, { args: "1000m" }))
    assert.isFalse(semanticEqual({ limits: { cpu: "1" } }, { limits: { cpu: "2" } }))
  })

  it("distinguishes zero from absent", () => {
    assert.isFalse(semanticEqual({ priority: 0 }, {}))
  })
})
