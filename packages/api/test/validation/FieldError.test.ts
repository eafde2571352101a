import { assert, describe, it } from "vitest"
import { fieldErrorBody, noErrors } from "../../src/validation/FieldError.ts"
import { ErrorList, fieldErrorsText } from "../../src/validation/index.ts"

const causesOf = (report: (errors: ErrorList) => void): string => {
  const errors = new ErrorList()
  report(errors)
  const [error] = errors.all
  return error === undefined ? "" : fieldErrorBody(error)
}

describe("field errors", () => {
  it.each<[string, unknown, string]>([
    ["text as Go quotes it", 'a "b"\n\u00e9\u200b\u007f', '"a \\"b\\"\\né\\u200b\\x7f"'],
    ["numbers plain", -1, "-1"],
    ["an absent value as null", undefined, "null"],
    ["structures as JSON, safe for HTML", { Key: "<a>", List: null }, '{"Key":"\\u003ca\\u003e","List":null}'],
    ["lists as JSON", ["a", "b"], '["a","b"]']
  ])("show %s", (_, value, shown) => {
    assert.strictEqual(
      causesOf((errors) => errors.invalid("f", value, "no good")),
      `Invalid value: ${shown}: no good`
    )
  })

  it.each<[string, (errors: ErrorList) => void]>([
    ["Required value", (errors) => errors.required("f")],
    ["Required value: why", (errors) => errors.required("f", "why")],
    ["Forbidden: why", (errors) => errors.forbidden("f", "why")],
    ["Too long: may not be more than 5 bytes", (errors) => errors.tooLong("f", 5)],
    ["Too many: 7: must have at most 5 items", (errors) => errors.tooMany("f", 7, 5)],
    ['Duplicate value: "x"', (errors) => errors.duplicate("f", "x")],
    ['Not found: "x"', (errors) => errors.notFound("f", "x")],
    ['Unsupported value: "x": supported values: "a", "b"', (errors) => errors.notSupported("f", "x", ["a", "b"])],
    [
      'Unsupported value: "\\u003c\\ufffd": supported values: "a"',
      (errors) => errors.notSupported("f", "<\udcff", ["a"])
    ],
    ['Unsupported value: "<\\xff": supported values: "a"', (errors) => errors.notSupportedText("f", "<\udcff", ["a"])]
  ])("read %j", (body, report) => {
    assert.strictEqual(causesOf(report), body)
  })

  it("are one shared empty list when there are none", () => {
    assert.strictEqual(new ErrorList().all, noErrors)
  })

  it("are printed once each, in brackets when several", () => {
    const errors = new ErrorList()
    errors.required("a")
    errors.required("a")
    assert.strictEqual(fieldErrorsText(errors.all), "a: Required value")
    errors.required("b")
    assert.strictEqual(fieldErrorsText(errors.all), "[a: Required value, b: Required value]")
  })
})
