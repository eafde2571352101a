import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { equalAs } from "../../src/validation/equalAs.ts"
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

describe("equality of values of a type", () => {
  const spec = { containers: [{ name: "a" }] }
  const same = (part: object) => equalAs("core.v1.PodSpec", spec, { ...spec, ...part })

  it("ignores empty lists, maps and values that are no pointers", () => {
    for (const part of [{ nodeSelector: {} }, { tolerations: [] }, { hostNetwork: false }, { subdomain: "" }]) {
      assert.isTrue(same(part), JSON.stringify(part))
    }
  })

  it("distinguishes what a pointer leads to from nothing", () => {
    for (const part of [{ affinity: {} }, { hostUsers: false }, { runtimeClassName: "" }, { dnsConfig: {} }]) {
      assert.isFalse(same(part), JSON.stringify(part))
    }
  })

  it("compares quantities, and the keys of maps", () => {
    const of = (overhead: object) => ({ ...spec, overhead })
    assert.isTrue(equalAs("core.v1.PodSpec", of({ cpu: "1" }), of({ cpu: "1000m" })))
    assert.isFalse(equalAs("core.v1.PodSpec", of({ cpu: "1" }), of({ cpu: "1", memory: "0" })))
  })
})
