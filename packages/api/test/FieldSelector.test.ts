import * as Result from "effect/Result"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { exactFieldValue, formatFieldSelector, matchesFieldSelector, parseFieldSelector } from "../src/index.ts"

const parse = (text: string, kind?: string) => Result.getOrThrow(parseFieldSelector(text, kind))
const failure = (text: string, kind?: string) => Result.getOrThrow(Result.flip(parseFieldSelector(text, kind))).message

const term = fc.record({
  field: fc.constantFrom("metadata.name", "spec.nodeName", "status.phase"),
  operator: fc.constantFrom<"=" | "!=">("=", "!="),
  value: fc.string({ unit: fc.constantFrom(..."ab\\,=!") })
})

describe("field selectors", () => {
  it("keep every value through escaping", () => {
    fc.assert(
      fc.property(fc.array(term, { maxLength: 3 }), (terms) => {
        const text = formatFieldSelector({ terms })
        const byText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
        const shown = (one: (typeof terms)[number]) => formatFieldSelector({ terms: [one] })
        assert.deepStrictEqual(
          parse(text).terms,
          terms.toSorted((a, b) => byText(shown(a), shown(b)))
        )
      })
    )
  })

  it("refuse escapes and bare characters with upstream's messages", () => {
    assert.strictEqual(failure("a=b\\x"), "invalid field selector: invalid escape sequence: \\x")
    assert.strictEqual(failure("a=b\\"), "invalid field selector: invalid escape sequence: \\")
    assert.strictEqual(failure("a=b=c"), "invalid field selector: unescaped character in value: 61")
  })

  it("accept only the fields of the kind", () => {
    assert.strictEqual(failure("status.phase=x", "Lease").slice(0, 15), '"status.phase" ')
    assert.strictEqual(failure("spec.x=y", "Job"), 'field label "spec.x" not supported for Job')
    assert.strictEqual(failure("metadata.namespace=x", "Node"), "field label not supported: metadata.namespace")
  })

  it("return the value that they require, for an index", () => {
    const selector = parse("spec.nodeName=n1,status.phase!=Failed", "Pod")
    assert.strictEqual(exactFieldValue(selector, "spec.nodeName"), "n1")
    assert.isUndefined(exactFieldValue(selector, "status.phase"))
    const fields = (phase: string) => (field: string) => (field === "spec.nodeName" ? "n1" : phase)
    assert.isTrue(matchesFieldSelector(selector, fields("Running")))
    assert.isFalse(matchesFieldSelector(selector, fields("Failed")))
  })
})
