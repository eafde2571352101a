import { assert, describe, it } from "@effect/vitest"
import type { CustomResourceDefinition } from "@rollcall/api"
import { ErrorList, fieldErrorText } from "@rollcall/api/validation"
import { compilePattern, Pattern, PatternFault } from "@rollcall/cel"
import * as fc from "fast-check"
import type { JsonSchema } from "../src/JsonSchema.ts"
import { validateListTypes } from "../src/listTypes.ts"
import { DefaultsExceeded, normalise } from "../src/normalise.ts"
import { matchesPattern } from "../src/patterns.ts"
import { Sameness } from "../src/sameness.ts"
import { definitionFaults } from "../src/schemaFaults.ts"
import { validateSchema } from "../src/validateSchema.ts"
import { Work, WorkExceeded } from "../src/Work.ts"
import { dials } from "./definitions.ts"

const validationErrors = (schema: JsonSchema, value: unknown, old?: unknown): ReadonlyArray<string> => {
  const errors = new ErrorList()
  validateSchema(errors, value, schema, "f", old)
  return errors.all.map(fieldErrorText)
}

const definitionWithSchema = (openAPIV3Schema: object): CustomResourceDefinition =>
  dials({ versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema } }] })

const specSchema = (spec: JsonSchema) => ({ type: "object", properties: { spec } })
const faultsOfSpec = (spec: JsonSchema) => definitionFaults(definitionWithSchema(specSchema(spec))).map(fieldErrorText)

describe("patterns of schemas", () => {
  it("take linear time where JavaScript's take exponential time", () => {
    const text = `${"a".repeat(50_000)}!`
    assert.isFalse(matchesPattern("^(a+)+$", text, new Work()))
    assert.isFalse(matchesPattern("(x+x+)+y", "x".repeat(50_000), new Work()))
    assert.isTrue(matchesPattern(`^(a?){50}a{50}$`, "a".repeat(50), new Work()))
  })

  it("stop where instructions times characters exceed a request's budget", () => {
    const text = "ab".repeat(100_000)
    assert.throws(() => matchesPattern("[ab]*a[ab]{900}[cd]$", text, new Work()), WorkExceeded)
    assert.isFalse(matchesPattern("[ab]*a[ab]{900}[cd]$", text.slice(0, 2000), new Work()))
  })

  it("count against one budget for all strings of an object", () => {
    const schema: JsonSchema = { type: "array", items: { type: "string", pattern: "^(.*){1,1000}$" } }
    const list = Array.from({ length: 2000 }, () => "a".repeat(1000))
    assert.throws(() => validationErrors(schema, list), WorkExceeded)
    assert.deepStrictEqual(validationErrors(schema, list.slice(0, 2)), [])
  })

  it.each([
    ["(", "error parsing regexp: missing closing ): `(`"],
    ["a**", "error parsing regexp: invalid nested repetition operator: `**`"],
    ["(?=a)", "error parsing regexp: invalid or unsupported Perl syntax: `(?=`"],
    ["\\1", "error parsing regexp: invalid escape sequence: `\\1`"],
    ["x{1001}", "error parsing regexp: invalid repeat count: `{1001}`"]
  ])("are refused with Go's words when a definition is written: %s", (pattern, words) => {
    assert.deepStrictEqual(faultsOfSpec({ type: "string", pattern }), [
      `spec.validation.openAPIV3Schema.properties[spec].pattern: Invalid value: ${JSON.stringify(pattern)}: must be a valid regular expression, but isn't: ${words}`
    ])
    assert.lengthOf(faultsOfSpec({ type: "object", anyOf: [{ not: { pattern } }] }), 1)
    assert.instanceOf(compilePattern(pattern), PatternFault)
  })

  it("agree with JavaScript's on the common syntax", () => {
    const letter = fc.constantFrom("a", "b", "-", ".", "0", "é")
    // A group is not repeated: JavaScript takes exponential time for repeats within repeats.
    const simple = fc
      .tuple(
        fc.constantFrom("a", "b", "[ab]", "[^a]", "\\d", "\\w", "\\.", "."),
        fc.constantFrom("", "*", "+", "?", "{1,3}")
      )
      .map((parts) => parts.join(""))
    const run = fc.array(simple, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(""))
    const group = fc
      .tuple(run, run, fc.constantFrom("", "?"))
      .map(([left, right, times]) => `(${left}|${right})${times}`)
    const pattern = fc.array(fc.oneof(run, group), { minLength: 1, maxLength: 3 }).map((parts) => parts.join(""))
    const anchored = fc
      .tuple(fc.constantFrom("", "^"), pattern, fc.constantFrom("", "$"))
      .map((parts) => parts.join(""))
    const text = fc.array(letter, { maxLength: 8 }).map((letters) => letters.join(""))
    fc.assert(
      fc.property(anchored, text, (source, value) => {
        assert.strictEqual(new Pattern(source).matches(value), new RegExp(source, "u").test(value), source)
      }),
      { numRuns: 300 }
    )
  })

  it("free the states of a pattern that has read much text", () => {
    const pattern = new Pattern("[ab]*a[ab]{20}[cd]$")
    const first = pattern.for(10)
    assert.strictEqual(pattern.for(100_000), first)
    assert.notStrictEqual(pattern.for(10), first)
  })
})

describe("defaults", () => {
  const big = "x".repeat(10_000)
  const filled: JsonSchema = {
    type: "object",
    properties: { list: { type: "array", items: { type: "object", properties: { a: { default: big } } } } }
  }
  const list = (length: number) => ({ list: Array.from({ length }, () => ({})) })

  it("stop at the maximum size of a request", () => {
    assert.throws(() => normalise(list(20_000), filled), DefaultsExceeded)
    assert.lengthOf((normalise(list(300), filled) as ReturnType<typeof list>).list, 300)
  })

  it("are one shared value in all places that they fill", () => {
    const inner = {
      type: "object",
      properties: { c: { default: { d: [1, 2] }, "x-kubernetes-preserve-unknown-fields": true } },
      default: {}
    } as JsonSchema
    const schema: JsonSchema = { items: { type: "object", properties: { b: inner } } }
    const made = normalise({ l: [{}, {}] }, { properties: { l: schema } }) as {
      readonly l: ReadonlyArray<{ readonly b: unknown }>
    }
    assert.deepStrictEqual(made.l[0], { b: { c: { d: [1, 2] } } })
    assert.strictEqual(made.l[0]?.b, made.l[1]?.b)
  })

  it("that multiply when nested are refused when the definition is written", () => {
    let schema: JsonSchema = { type: "string", default: "x".repeat(100) }
    for (let level = 0; level < 40; level++) {
      schema = { type: "object", default: {}, properties: { a: schema, b: schema } }
    }
    assert.throws(() => normalise({}, { properties: { f: schema } }), DefaultsExceeded)
  })

  it("may have only known fields, but in metadata, which Go knows", () => {
    const whole = { "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true }
    const metadata = { type: "object", default: { name: "a" } }
    assert.deepStrictEqual(faultsOfSpec({ type: "object", ...whole, properties: { metadata } } as JsonSchema), [])
    assert.include(
      faultsOfSpec({ type: "object", default: { a: 1 }, properties: {} } as JsonSchema).join(),
      'default: Invalid value: {"a":1}: must not have unknown fields'
    )
  })

  it("must satisfy their schema", () => {
    assert.deepStrictEqual(faultsOfSpec({ type: "string", default: 1 } as JsonSchema), [
      'spec.validation.openAPIV3Schema.properties[spec].default: Invalid value: "integer":  in body must be of type string: "integer"'
    ])
  })
})

describe("the work of a schema", () => {
  it("is limited where schema and object multiply", () => {
    const schema: JsonSchema = {
      type: "array",
      items: { type: "object", allOf: Array.from({ length: 2000 }, () => ({ minProperties: 0 })) }
    }
    const list = (length: number) => Array.from({ length }, () => ({}))
    assert.throws(() => validationErrors(schema, list(5000)), WorkExceeded)
    assert.deepStrictEqual(validationErrors(schema, list(100)), [])
  })

  it("is limited in the errors that it keeps", () => {
    const schema: JsonSchema = { type: "array", items: { type: "string" } }
    const list = (length: number) => Array.from({ length }, () => 1)
    assert.throws(() => validationErrors(schema, list(6000)), WorkExceeded)
    assert.lengthOf(validationErrors(schema, list(400)), 400)
  })

  it("finds a value of a large enum, and items of sets and maps, in constant time each", () => {
    const texts = Array.from({ length: 20_000 }, (_, at) => `v${at}`)
    assert.deepStrictEqual(validationErrors({ type: "array", items: { enum: texts }, uniqueItems: true }, texts), [])
    const items = texts.map((n) => ({ n, v: 1 }))
    const keyed: JsonSchema = {
      type: "array",
      items: { type: "object", properties: { v: { type: "integer", maximum: 0 } } },
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["n"]
    }
    assert.deepStrictEqual(validationErrors(keyed, [{ n: "new", v: 0 }, ...items].reverse(), items), [])
    const errors = new ErrorList()
    validateListTypes(errors, items, keyed, "f")
    assert.strictEqual(errors.size, 0)
  })

  it("compares each part of an object with its old state once", () => {
    let reads = 0
    const leaf = () => Object.defineProperty({}, "a", { enumerable: true, get: () => ++reads && 1 })
    let value: object = { l: leaf(), n: 1 }
    let old: object = { l: { a: 1 }, n: 2 }
    for (let depth = 0; depth < 50; depth++) {
      value = { inner: value }
      old = { inner: old }
    }
    const sameness = new Sameness()
    let [left, right]: Array<unknown> = [value, old]
    while (typeof left === "object" && left !== null && "inner" in left) {
      assert.isFalse(sameness.isSame(left, right))
      left = left.inner
      right = (right as { readonly inner: unknown }).inner
    }
    assert.strictEqual(reads, 1)
  })
})
