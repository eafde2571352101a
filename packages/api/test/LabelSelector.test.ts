import * as Result from "effect/Result"
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import {
  formatLabelSelector,
  type LabelSelector,
  matchesLabelSelector,
  parseLabelSelector,
  selectorOf
} from "../src/index.ts"

const key = fc.constantFrom("app", "tier", "example.com/zone")
const labelValue = fc.constantFrom("", "a", "b", "c", "7", "in", "notin")
const labels = fc.dictionary(key, labelValue, { maxKeys: 3 })
const requirement = fc.oneof(
  fc.record({
    key,
    operator: fc.constantFrom("In", "NotIn"),
    values: fc.array(labelValue, { minLength: 1, maxLength: 3 })
  }),
  fc.record({ key, operator: fc.constantFrom("Exists", "DoesNotExist") })
)
const structured: fc.Arbitrary<LabelSelector> = fc.record({
  matchLabels: fc.dictionary(key, labelValue, { maxKeys: 2 }),
  matchExpressions: fc.array(requirement, { maxLength: 3 })
})

const parse = (text: string) => Result.getOrThrow(parseLabelSelector(text))
const failure = (text: string) => Result.getOrThrow(Result.flip(parseLabelSelector(text))).message

describe("label selectors", () => {
  it("mean the same as an object and as text", () => {
    fc.assert(
      fc.property(structured, labels, (selector, set) => {
        const text = formatLabelSelector(selector)
        assert.strictEqual(matchesLabelSelector(parse(text), set), matchesLabelSelector(selector, set))
        assert.strictEqual(formatLabelSelector(parse(text)), text)
      })
    )
  })

  it("select by the definition of each operator", () => {
    fc.assert(
      fc.property(requirement, labels, (one, set) => {
        const found = Object.hasOwn(set, one.key) ? set[one.key] : undefined
        const listed = found !== undefined && "values" in one && one.values.includes(found)
        const expected = { In: listed, NotIn: !listed, Exists: found !== undefined, DoesNotExist: found === undefined }
        assert.strictEqual(matchesLabelSelector({ matchExpressions: [one] }, set), expected[one.operator as "In"])
      })
    )
  })

  it("select nothing when absent or unknown, everything when empty", () => {
    assert.isFalse(matchesLabelSelector(undefined, {}))
    assert.isTrue(matchesLabelSelector({}, undefined))
    assert.isFalse(matchesLabelSelector({ matchExpressions: [{ key: "a", operator: "Near" }] }, { a: "b" }))
  })

  it("do not mistake inherited properties for labels", () => {
    assert.isFalse(matchesLabelSelector(parse("constructor"), {}))
    assert.isTrue(matchesLabelSelector(parse("!toString"), {}))
  })

  it("are compiled once for each object", () => {
    const selector: LabelSelector = { matchLabels: { app: "web" } }
    assert.strictEqual(selectorOf(selector), selectorOf(selector))
  })

  it("report several errors of one requirement together", () => {
    assert.match(failure("x>-"), /^unable to parse requirement: \[values\[0\]: .*integer, values\[0\]\[x\]: /)
  })

  it("fail instead of looping, wherever the text is truncated", () => {
    const whole = "a in (b, c), !d, e=f, g notin (,)"
    for (let length = 0; length <= whole.length; length++) parseLabelSelector(whole.slice(0, length))
    assert.strictEqual(failure("a in (b"), "unable to parse requirement: found '', expected: ',' or ')'")
    assert.strictEqual(failure("a in (b,,)"), "unable to parse requirement: found ')', expected: ',', or identifier")
    assert.strictEqual(failure("!a=b"), "found '=', expected: ',' or 'end of string'")
  })

  it("accept or refuse any text without throwing", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(..."ab1.-/=!<>(), int\0\t") }), (text) => {
        const parsed = parseLabelSelector(text)
        if (Result.isFailure(parsed)) return
        const canonical = formatLabelSelector(parsed.success)
        assert.strictEqual(formatLabelSelector(parse(canonical)), canonical)
      })
    )
  })
})
