import "@rollcall/api/wire"
import { assert, describe, it } from "@effect/vitest"
import { ErrorList, fieldErrorText } from "@rollcall/api/validation"
import * as fc from "fast-check"
import type { JsonSchema } from "../src/JsonSchema.ts"
import { validateListTypes } from "../src/listTypes.ts"
import { normalise } from "../src/normalise.ts"
import { validateRules } from "../src/validateRules.ts"
import { validateSchema } from "../src/validateSchema.ts"

type Check = (errors: ErrorList, value: unknown, schema: JsonSchema, path: string, old?: unknown) => void

const errorTexts = (check: Check, schema: JsonSchema, value: unknown, old?: unknown): ReadonlyArray<string> => {
  const errors = new ErrorList()
  check(errors, value, schema, "f", old)
  return errors.all.map(fieldErrorText)
}

const checkListTypes: Check = (errors, value, schema, path) => validateListTypes(errors, value, schema, path)

const validationErrors = (schema: JsonSchema, value: unknown, old?: unknown) =>
  errorTexts(validateSchema, schema, value, old)
const ruleErrors = (schema: JsonSchema, value: unknown, old?: unknown) => errorTexts(validateRules, schema, value, old)

describe("the schema of a custom resource", () => {
  it("has rules that name a field by a keyword", () => {
    const rule = "self.namespace == 'a' && self.__namespace__ == 'a' && has(self.if) && !has(self.for)"
    const properties = { namespace: { type: "string" }, if: { type: "string" }, for: { type: "string" } } as const
    const schema: JsonSchema = { type: "object", properties, "x-kubernetes-validations": [{ rule }] }
    assert.deepStrictEqual(ruleErrors(schema, { namespace: "a", if: "" }), [])
    assert.lengthOf(ruleErrors(schema, { namespace: "b", if: "" }), 1)
  })

  it.each<[string, JsonSchema, unknown, ReadonlyArray<string>]>([
    ["type", { type: "string" }, 1, ['f: Invalid value: "integer": f in body must be of type string: "integer"']],
    ["null", { type: "string" }, null, ['f: Invalid value: "null": f in body must be of type string: "null"']],
    ["nullable", { type: "string", nullable: true }, null, []],
    ["a fraction that Go cuts to an integer of an enum", { type: "number", enum: [1.5, 2] }, 2.5, []],
    [
      "a fraction beyond those of an enum",
      { type: "number", enum: [1.5, 2] },
      1.25,
      ['f: Unsupported value: 1.25: supported values: "1.5", "2"']
    ],
    ["the code point of a text of an enum", { "x-kubernetes-int-or-string": true, enum: ["a"] }, 97, []],
    [
      "a number where a format is",
      { type: "string", format: "date" },
      1,
      ['f: Invalid value: "int64": f in body must be of type date: "int64"']
    ],
    [
      "an object where a format is",
      { type: "string", format: "uuid" },
      {},
      ['f: Invalid value: "": f in body must be of type uuid: ""']
    ],
    ["a list where a format is", { type: "string", format: "uuid" }, [[{}]], []],
    [
      "a list where a format of numbers is",
      { type: "integer", format: "int32" },
      [1],
      ['f: Invalid value: "array": f in body must be of type integer: "array"']
    ],
    [
      "a format of no meaning",
      { type: "string", format: "foo" },
      1,
      ['f: Invalid value: "integer": f in body must be of type string: "integer"']
    ],
    ["a format of another type", { type: "boolean", format: "date" }, true, []],
    ["a format without a type", { format: "ipv4" }, true, ['f: Invalid value: "": f in body must be of type ipv4: ""']],
    ["a whole number", { type: "number" }, 1, []],
    ["int-or-string", { "x-kubernetes-int-or-string": true }, "80%", []],
    [
      "maximum",
      { type: "integer", maximum: 3 },
      4,
      ["f: Invalid value: 4: f in body should be less than or equal to 3"]
    ],
    [
      "exclusive minimum",
      { type: "number", minimum: 0.5, exclusiveMinimum: true },
      0.5,
      ["f: Invalid value: 0.5: f in body should be greater than 0.5"]
    ],
    ["multipleOf", { type: "integer", multipleOf: 5 }, 7, ["f: Invalid value: 7: f in body should be a multiple of 5"]],
    [
      "a factor that is cut to zero",
      { type: "number", multipleOf: 0.5 },
      1,
      ["f: Invalid value: 0: factor MultipleOf declared for f must be positive: 0"]
    ],
    ["a multiple as float64 has it", { type: "number", multipleOf: 0.1 }, 0.3, []],
    ["what is nearly a multiple", { type: "number", multipleOf: 0.01 }, 1.1500000000001, []],
    [
      "bounds that are no integers",
      { type: "integer", format: "int32", minimum: 1.5, maximum: 3e9, multipleOf: 0.5 },
      1,
      [
        '<nil>: Invalid value: "": MultipleOf value must be of type integer with format int32 in f',
        '<nil>: Invalid value: "": Minimum boundary value must be of type integer with format int32 in f',
        "f: Invalid value: 1: f in body should be greater than or equal to 1.5",
        '<nil>: Invalid value: "": Maximum boundary value must be of type integer with format int32 in f'
      ]
    ],
    [
      "an integer's bounds, cut",
      { type: "number", maximum: 1.5 },
      2,
      ["f: Invalid value: 2: f in body should be less than or equal to 1"]
    ],
    ["the digits of an int64", { type: "integer", maximum: 2 ** 62, multipleOf: 3 }, 9007199254740993n, []],
    [
      "a large integer",
      { type: "integer", maximum: 5, enum: [9007199254740993n] },
      9007199254740995n,
      [
        "f: Invalid value: 9007199254740995: f in body should be less than or equal to 5",
        'f: Unsupported value: 9007199254740995: supported values: "9007199254740993"'
      ]
    ],
    [
      "a number beyond int64",
      { type: "integer" },
      2 ** 63,
      [
        'f: Invalid value: "number": f in body must be of type integer: "number"',
        '<nil>: Invalid value: "": Checked value must be of type integer (default format) in f'
      ]
    ],
    [
      "a fraction by the format of integers",
      { type: "integer", format: "int32" },
      1.5,
      [
        'f: Invalid value: "float64": f in body must be of type int32: "float64"',
        '<nil>: Invalid value: "": Checked value must be of type integer with format int32 in f'
      ]
    ],
    ["formats of integers that Kubernetes ignores", { type: "integer", format: "uint32" }, -1, []],
    [
      "a large bound",
      { type: "number", maximum: 2500000 },
      2500000.5,
      ["f: Invalid value: 2.5000005e+06: f in body should be less than or equal to 2.5e+06"]
    ],
    [
      "a small bound",
      { type: "number", minimum: 0.00001 },
      0.000001,
      ["f: Invalid value: 1e-06: f in body should be greater than or equal to 1e-05"]
    ],
    [
      "maxProperties, and values all the same",
      { type: "object", maxProperties: 1, additionalProperties: { type: "integer" } },
      { a: 1, b: "x" },
      [
        "f: Too many: 2: must have at most 1 item",
        'f.b: Invalid value: "string": f.b in body must be of type integer: "string"'
      ]
    ],
    ["maxLength", { type: "string", maxLength: 2 }, "abc", ["f: Too long: may not be more than 2 bytes"]],
    [
      "minLength in characters",
      { type: "string", minLength: 2 },
      "ü",
      ['f: Invalid value: "ü": f in body should be at least 2 chars long']
    ],
    ["minItems", { type: "array", minItems: 1 }, [], ["f: Invalid value: 0: f in body should have at least 1 items"]],
    [
      "minProperties",
      { type: "object", minProperties: 2 },
      { a: 1 },
      ["f: Invalid value: 1: f in body should have at least 2 properties"]
    ],
    ["maxItems", { type: "array", maxItems: 1 }, [1, 2], ["f: Too many: 2: must have at most 1 item"]],
    ["required", { type: "object", required: ["a"] }, {}, ["f.a: Required value"]],
    [
      "map values",
      { type: "object", additionalProperties: { type: "integer" } },
      { a: "b" },
      ['f.a: Invalid value: "string": f.a in body must be of type integer: "string"']
    ],
    [
      "format",
      { type: "string", format: "ipv4" },
      "::1",
      ['f: Invalid value: "::1": f in body must be of type ipv4: "::1"']
    ],
    ["an unknown format", { type: "string", format: "colour" }, "mauve", []],
    ["not", { not: { type: "string" } }, "x", ['<nil>: Invalid value: "": "f" must not validate the schema (not)']],
    [
      "oneOf, both",
      { oneOf: [{ minimum: 1 }, { minimum: 2 }] },
      3,
      ['<nil>: Invalid value: "": "f" must validate one and only one schema (oneOf). Found 2 valid alternatives']
    ],
    [
      "anyOf, the nearest",
      { anyOf: [{ type: "string" }, { required: ["a"] }] },
      {},
      ['<nil>: Invalid value: "": "f" must validate at least one schema (anyOf)', "f.a: Required value"]
    ]
  ])("judges %s", (_, schema, value, expected) => {
    assert.deepStrictEqual(validationErrors(schema, value), expected)
  })

  it("does not validate unchanged parts of an update again", () => {
    const schema: JsonSchema = {
      type: "object",
      properties: { a: { type: "integer", maximum: 1 }, b: { type: "integer", maximum: 1 } }
    }
    assert.deepStrictEqual(validationErrors(schema, { a: 5, b: 1 }, { a: 5, b: 0 }), [])
    assert.lengthOf(validationErrors(schema, { a: 6, b: 1 }, { a: 5, b: 1 }), 1)
  })

  const text: JsonSchema = { type: "string" }
  const keyed: JsonSchema = {
    type: "array",
    items: { type: "object", required: ["k"], properties: { k: text, v: text } },
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["k"]
  }
  const first = { k: "a", v: 1 }
  const second = { k: "b", v: "x" }

  it.each<[string, JsonSchema, unknown, unknown, number]>([
    ["a list", { type: "array", items: text }, [1], [1], 0],
    ["an item of a list that changes", { type: "array", items: text }, [1, "b"], [1, "a"], 1],
    ["a value of a map", { type: "object", additionalProperties: text }, { a: 1, b: "x" }, { a: 1 }, 0],
    ["an item of a map that changes", keyed, [first, second], [first], 0],
    ["a map in another order", { ...keyed, maxItems: 1 }, [second, first], [first, second], 0],
    ["an item that has no key", keyed, [{ v: "x" }], [{ v: "x" }], 1],
    ["an item that is no object", keyed, [2], [2], 1],
    ["an object with a field of no schema", { type: "object", required: ["z"] }, first, first, 1],
    ["an empty object", { type: "object", required: ["z"] }, {}, {}, 0]
  ])("tells whether %s is unchanged by its schema", (_, schema, value, old, count) => {
    assert.lengthOf(validationErrors(schema, value, old), count)
  })

  it("reports a duplicate in a set once, and elements of a map by their keys", () => {
    assert.deepStrictEqual(errorTexts(checkListTypes, { "x-kubernetes-list-type": "set" }, ["a", "b", "a", "a"]), [
      'f[2]: Duplicate value: "a"'
    ])
    const keyed: JsonSchema = { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["n"] }
    assert.deepStrictEqual(errorTexts(checkListTypes, keyed, [{ n: 1, v: 1 }, { n: 1 }, {}]), [
      'f[1]: Duplicate value: {"n":1}'
    ])
    const twice: JsonSchema = { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["n", "k"] }
    assert.deepStrictEqual(
      errorTexts(checkListTypes, twice, [
        { n: 1, k: 2 },
        { n: 1, k: 2 }
      ]),
      ['f[1]: Duplicate value: {"k":2,"n":1}']
    )
  })

  const tree: JsonSchema = {
    type: "object",
    properties: {
      a: { type: "integer", default: 1 },
      b: { type: "object", default: {}, properties: { c: { type: "string", default: "x" }, d: { type: "string" } } },
      l: { type: "array", items: { type: "object", properties: { a: { type: "integer", default: 2 } } } }
    }
  }

  it("removes a null that is not allowed from a map, and keeps it in a list", () => {
    const values: JsonSchema = { type: "object", additionalProperties: { type: "object" } }
    assert.deepStrictEqual(normalise({ a: null, b: {} }, values), { b: {} })
    const items: JsonSchema = { type: "object", properties: { l: { type: "array", items: { type: "object" } } } }
    assert.deepStrictEqual(normalise({ l: [null] }, items), { l: [null] })
  })

  it("removes the fields of what is of another type, or of no schema", () => {
    const free: JsonSchema = { type: "object", "x-kubernetes-preserve-unknown-fields": true }
    const fields = { i: { type: "integer" }, free, open: { type: "object", additionalProperties: true } } as const
    const of = (value: unknown) => ({ i: value, free: value, open: { a: value } })
    for (const [value, pruned] of [
      [{ x: 1 }, {}],
      [
        [{ x: 1 }, [{ y: 1 }], 2],
        [{}, [{}], 2]
      ],
      ["text", "text"]
    ])
      assert.deepStrictEqual(normalise(of(value), { type: "object", properties: fields }), {
        i: pruned,
        free: value,
        open: { a: pruned }
      })
  })

  it("normalises an object once, and shares unchanged parts", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom("a", "b", "l", "z"), fc.jsonValue()), (object) => {
        const made = normalise(object as Readonly<Record<string, unknown>>, tree)
        assert.strictEqual(normalise(made, tree), made)
        assert.notProperty(made, "z")
      })
    )
  })
})

describe("rules in CEL", () => {
  const rule = (text: string, more: object = {}, schema: JsonSchema = {}): JsonSchema => ({
    ...schema,
    "x-kubernetes-validations": [{ rule: text, ...more }]
  })
  const sizes: JsonSchema = {
    type: "object",
    properties: { low: { type: "integer" }, high: { type: "integer" }, at: { type: "string", format: "date-time" } }
  }

  it("read self, with CEL's integers and times", () => {
    const ordered = rule("self.low <= self.high && self.high % 2 == 0", {}, sizes)
    assert.deepStrictEqual(ruleErrors(ordered, { low: 1, high: 2 }), [])
    assert.deepStrictEqual(ruleErrors(ordered, { low: 3, high: 2 }), [
      "f: Invalid value: failed rule: self.low <= self.high && self.high % 2 == 0"
    ])
    assert.deepStrictEqual(
      ruleErrors(rule("self.at.getFullYear() == 2024", {}, sizes), { at: "2024-05-06T07:08:09Z" }),
      []
    )
  })

  it("only warn of what an update leaves unchanged", () => {
    const schema = rule("self.all(x, x > 1)", {}, { type: "array", items: rule("self < 9", {}, { type: "integer" }) })
    const judge = (value: unknown, old: unknown) => {
      const [errors, warned] = [new ErrorList(), new ErrorList()]
      validateRules(errors, value, schema, "f", old, false, undefined, warned)
      return [errors, warned].map((each) => each.all.map(({ field }) => field))
    }
    assert.deepStrictEqual(judge([1, 9], [1, 9]), [[], ["f", "f[1]"]])
    assert.deepStrictEqual(judge([1, 9], [1, 8]), [["f", "f[1]"], []])
  })

  it("read oldSelf on updates only", () => {
    const fixed = rule("self == oldSelf", { message: "is fixed" }, { type: "string" })
    assert.deepStrictEqual(ruleErrors(fixed, "a"), [])
    assert.deepStrictEqual(ruleErrors(fixed, "a", "a"), [])
    assert.deepStrictEqual(ruleErrors(fixed, "b", "a"), ['f: Invalid value: "b": is fixed'])
  })

  it("may ask whether there is an old value", () => {
    const grows = rule("!oldSelf.hasValue() || self >= oldSelf.value()", { optionalOldSelf: true }, { type: "integer" })
    assert.deepStrictEqual(
      [ruleErrors(grows, 1).length, ruleErrors(grows, 2, 1).length, ruleErrors(grows, 1, 2).length],
      [0, 0, 1]
    )
  })

  it.each([
    "self.isSorted() && self.min() == 1 && self.max() == 3 && self.sum() == 6",
    "self.indexOf(2) == 1 && self.map(x, x * 2).sum() == 12",
    "isIP('::1') && isCIDR('10.0.0.0/8') && !isQuantity('1Gx') && isURL('https://a.example')",
    "'a-b'.replace('-', '.') == 'a.b' && 'x12'.find('[0-9]+') == '12'"
  ])("know Kubernetes' functions: %s", (text) => {
    assert.deepStrictEqual(ruleErrors(rule(text, {}, { type: "array", items: { type: "integer" } }), [1, 2, 3]), [])
  })

  it("report path, reason and message", () => {
    const more = { reason: "FieldValueForbidden", fieldPath: ".low", messageExpression: "'not ' + string(self.low)" }
    assert.deepStrictEqual(ruleErrors(rule("self.low > 5", more, sizes), { low: 3 }), ["f.low: Forbidden: not 3"])
  })

  it("do not run again for unchanged parts", () => {
    assert.deepStrictEqual(ruleErrors(rule("self.low > 5", {}, sizes), { low: 3 }, { low: 3 }), [])
  })

  it.each<[JsonSchema, unknown, string]>([
    [{ type: "integer" }, "x", "expected int, got string"],
    [{ type: "integer" }, 1.5, "expected int, got float64"],
    [{ type: "number" }, "x", "expected float, got string"],
    [{ type: "string" }, 5, "expected string, got int64"],
    [{ type: "boolean" }, { a: 1 }, "expected bool, got map[string]interface {}"],
    [{ type: "object" }, [1], "expected a map for the provided schema with type=object"],
    [{ type: "array", items: { type: "string" } }, {}, "expected an array for the provided schema with type=array"],
    [{ "x-kubernetes-int-or-string": true }, true, "expected XIntOrString value to be either a string or integer"]
  ])("name the type of values that are older than their schema: %j, %j", (schema, value, why) => {
    assert.deepStrictEqual(ruleErrors(rule("self == self", {}, schema), value), [
      `f: Invalid value: ${JSON.stringify(schema.type ?? "")}: invalid data, ${why} evaluating rule: self == self`
    ])
  })

  it("refuse values that they cannot evaluate", () => {
    assert.deepStrictEqual(ruleErrors(rule("self.low > 5", {}, sizes), {}), [
      'f: Invalid value: "object": no such key: low evaluating rule: self.low > 5'
    ])
  })
})
