import { assert, describe, it } from "@effect/vitest"
import { ErrorList, fieldErrorText } from "@rollcall/api/validation"
import {
  type Compiled,
  CompileFault,
  CostExceeded,
  celTypeOf,
  celValue,
  compile,
  Meter,
  PER_CALL_LIMIT,
  type Value
} from "@rollcall/cel"
import type { JsonSchema, ValidationRule } from "../src/JsonSchema.ts"
import { definitionFaults } from "../src/schemaFaults.ts"
import { validateRules } from "../src/validateRules.ts"
import { Work } from "../src/Work.ts"
import { dials } from "./definitions.ts"

const definition = (spec: JsonSchema) =>
  dials({
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", properties: { spec } } }
      }
    ]
  })

const SPEC_PATH = "spec.validation.openAPIV3Schema.properties[spec]"
const faultsOfSpec = (spec: JsonSchema): ReadonlyArray<string> => definitionFaults(definition(spec)).map(fieldErrorText)
const withRules = (schema: JsonSchema, ...rules: ReadonlyArray<string | ValidationRule>): JsonSchema => ({
  ...schema,
  "x-kubernetes-validations": rules.map((rule) => (typeof rule === "string" ? { rule } : rule))
})
const COST_ADVICE =
  "(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)"

const texts: JsonSchema = { type: "array", items: { type: "string" } }
const numbers: JsonSchema = { type: "array", items: { type: "integer" } }

describe("rules, when a definition is written", () => {
  it("are refused if they cost too much", () => {
    assert.deepStrictEqual(faultsOfSpec(withRules(texts, "self.all(x, self.all(y, x == y))")), [
      `${SPEC_PATH}.x-kubernetes-validations[0].rule: Forbidden: estimated rule cost exceeds budget by factor of more than 100x ${COST_ADVICE}`,
      `${SPEC_PATH}.x-kubernetes-validations[0].rule: Forbidden: contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema`,
      `spec.validation.openAPIV3Schema: Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of more than 100x ${COST_ADVICE}`
    ])
    const short: JsonSchema = { type: "array", maxItems: 50, items: { type: "string", maxLength: 20 } }
    assert.deepStrictEqual(faultsOfSpec(withRules(short, "self.all(x, self.all(y, x == y))")), [])
  })

  it("count as often as their schema may occur in an object", () => {
    const item = withRules({ type: "string", maxLength: 1000 }, "self.matches('^[a-z]+$')")
    const factor = faultsOfSpec({ type: "array", items: item })[0] ?? ""
    assert.include(factor, "estimated rule cost exceeds budget by factor of")
    assert.deepStrictEqual(faultsOfSpec({ type: "array", maxItems: 10, items: item }), [])
  })

  it("are named up to the four most expensive if only their sum is too much", () => {
    const parts = Object.fromEntries(
      Array.from({ length: 20 }, (_, index) => [`p${index}`, withRules(numbers, "self.all(x, x >= 0)")])
    )
    const validationErrors = faultsOfSpec({ type: "object", properties: parts })
    assert.lengthOf(
      validationErrors.filter((text) => text.includes("contributed to estimated rule cost total")),
      4
    )
    assert.match(validationErrors.at(-1) ?? "", /entire OpenAPIv3 schema exceeds budget by factor of 1\.\dx/)
  })

  it.each([
    ["self.b > 0", "compilation failed: ERROR: <input>:1:5: undefined field 'b'\n | self.b > 0\n | ....^"],
    [
      "self.a > 'x'",
      "compilation failed: ERROR: <input>:1:8: found no matching overload for '_>_' applied to '(int, string)'\n | self.a > 'x'\n | .......^"
    ],
    ["self.a", "cel expression must evaluate to a bool"],
    [
      "nope(self)",
      "compilation failed: ERROR: <input>:1:5: undeclared reference to 'nope' (in container '')\n | nope(self)\n | ....^"
    ],
    [
      "self.a >",
      "compilation failed: ERROR: <input>:1:9: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | self.a >\n | ........^"
    ]
  ])("are refused where they mean nothing: %s", (rule, words) => {
    const [validationErrors = "", ...more] = faultsOfSpec(
      withRules({ type: "object", properties: { a: { type: "integer" } } }, rule)
    )
    assert.isTrue(
      validationErrors.startsWith(`${SPEC_PATH}.x-kubernetes-validations[0].rule: Invalid value: `),
      validationErrors
    )
    assert.isTrue(validationErrors.endsWith(words), validationErrors)
    assert.lengthOf(more, 0)
  })

  it.each([
    ["deep parentheses", `${"(".repeat(40_000)}true${")".repeat(40_000)}`],
    ["deep signs", `${"!".repeat(90_000)}true`],
    ["a long chain", `${"1 + ".repeat(20_000)}1 > 0`],
    ["too many characters", `'${"a".repeat(100_000)}' == ''`]
  ])("are refused beyond what may be read: %s", (_, rule) => {
    const [validationErrors = ""] = faultsOfSpec(withRules({ type: "integer" }, rule))
    assert.match(validationErrors, /recursion (?:limit|depth) exceeded|code point size exceeds limit/)
  })

  it("are refused if there are more than may be compiled at once", () => {
    const rule = `self != '${"a".repeat(90_000)}'`
    const schema: JsonSchema = { type: "string", maxLength: 5 }
    assert.deepStrictEqual(faultsOfSpec(withRules(schema, rule, rule)), [])
    assert.deepStrictEqual(faultsOfSpec(withRules(schema, rule, rule, rule, rule)), [
      "spec.validation.openAPIV3Schema: Forbidden: the schema asks for more work than one request may cause"
    ])
  })

  it("may use oldSelf only where there is an old value", () => {
    const item = withRules({ type: "integer" }, "self >= oldSelf")
    assert.deepStrictEqual(faultsOfSpec({ type: "array", maxItems: 5, items: item }), [
      `${SPEC_PATH}.items.x-kubernetes-validations[0].rule: Invalid value: "self >= oldSelf": oldSelf cannot be used on the uncorrelatable portion of the schema within ${SPEC_PATH}`
    ])
    const fields: JsonSchema = { type: "object", properties: { a: item }, "x-kubernetes-map-type": "atomic" }
    assert.deepStrictEqual(faultsOfSpec(fields), [])
  })

  it("need an oldSelf to make it optional, even where they do not compile", () => {
    const [, second = ""] = faultsOfSpec(
      withRules({ type: "integer" }, { rule: "oldSelf == 1", optionalOldSelf: true })
    )
    assert.strictEqual(
      second,
      `${SPEC_PATH}.x-kubernetes-validations[0].optionalOldSelf: Invalid value: true: may not be set if oldSelf is not used in rule`
    )
  })

  it("are refused if they call a function that Kubernetes lacks too, or one of device selectors or patches only", () => {
    for (const [rule, fault] of [
      ["self.foo() == '1'", "1:9: undeclared reference to 'foo' (in container '')"],
      ["cel.bind(x, 1, x == 1)", "1:1: undeclared reference to 'cel' (in container '')"],
      ["jsonpatch.escapeKey(self) == ''", "1:1: undeclared reference to 'jsonpatch' (in container '')"]
    ] as const) {
      const [found = "none"] = faultsOfSpec(withRules({ type: "string", maxLength: 9 }, rule))
      assert.include(found, `compilation failed: ERROR: <input>:${fault}\n`)
    }
  })
})

const validationErrors = (schema: JsonSchema, value: unknown): ReadonlyArray<string> => {
  const errors = new ErrorList()
  validateRules(errors, value, schema, "f")
  return errors.all.map(fieldErrorText)
}

const costExceededMessage = (rule: string): string =>
  `'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: ${rule}`

const numbersUpTo = (length: number) => Array.from({ length }, (_, index) => index)

describe("rules, when they run", () => {
  it("stop at the limit of one call, and no further rule runs", () => {
    const rule = "self.all(x, self.all(y, x >= 0 || y >= 0))"
    assert.deepStrictEqual(validationErrors(withRules(numbers, rule, "false"), numbersUpTo(2000)), [
      `f: Invalid value: "array": ${costExceededMessage(rule)}`
    ])
    assert.deepStrictEqual(validationErrors(withRules(numbers, rule), numbersUpTo(100)), [])
  })

  it("stop at the limit of an object", () => {
    const rules = Array.from({ length: 30 }, () => "self.all(x, x >= 0 && x >= 0 && x >= 0)")
    assert.deepStrictEqual(validationErrors(withRules(numbers, ...rules), numbersUpTo(60_000)), [
      'f: Invalid value: "array": validation failed due to running out of cost budget, no further validation rules will be run'
    ])
  })

  it("stop when their message costs too much", () => {
    const rule = { rule: "false", messageExpression: "string(self.all(x, self.all(y, x >= 0 || y >= 0)))" }
    assert.match(
      validationErrors(withRules(numbers, rule), numbersUpTo(2000))[0] ?? "",
      /call cost exceeds limit for messageExpression/
    )
  })

  const schema: JsonSchema = {
    type: "object",
    properties: {
      s: { type: "string" },
      l: numbers,
      ll: { type: "array", items: numbers },
      set: { ...texts, "x-kubernetes-list-type": "set" }
    }
  }
  const self = celTypeOf(schema, false)
  const object = {
    s: "a".repeat(100_000),
    l: numbersUpTo(20_000),
    ll: numbersUpTo(10).map(() => numbersUpTo(20_000)),
    set: numbersUpTo(20_000).map(String)
  }
  /** What is put in place of itself again and again. */
  const repeated = (times: number, change: (text: string) => string, start: string, end: (text: string) => string) => {
    const names = numbersUpTo(times).map((index) => `v${index}`)
    return names.reduceRight(
      (body, name, index) => `cel.bind(${name}, ${change(index === 0 ? start : `v${index - 1}`)}, ${body})`,
      end(names.at(-1) ?? start)
    )
  }
  const nested = repeated(
    24,
    (text) => `[${text}, ${text}]`,
    "self.l",
    (text) => text
  )
  const run = (text: string): { readonly meter: Meter; readonly result: Value | undefined } => {
    assert.isDefined(self)
    const made = compile(text, { self }, self, { bindings: true }) as Compiled
    assert.notInstanceOf(made, CompileFault)
    const meter = new Meter()
    try {
      return { meter, result: made.program({ self: celValue(object, schema) }, meter) }
    } catch (error) {
      assert.instanceOf(error, CostExceeded)
      return { meter, result: undefined }
    }
  }

  it.each([
    [
      "a replacement repeated",
      repeated(
        30,
        (text) => `${text}.replace('a', 'aaaaaaaaaa')`,
        "self.s",
        (text) => `${text} != ''`
      )
    ],
    [
      "a replacement of nothing repeated",
      repeated(
        30,
        (text) => `${text}.replace('', 'aaaa')`,
        "'a'",
        (text) => `${text} != ''`
      )
    ],
    [
      "texts doubled",
      repeated(
        60,
        (text) => `${text} + ${text}`,
        "self.s",
        (text) => `${text} != ''`
      )
    ],
    [
      "lists doubled and gone through",
      repeated(
        60,
        (text) => `${text} + ${text}`,
        "self.l",
        (text) => `${text}.all(x, x >= 0)`
      )
    ],
    [
      "lists doubled and joined",
      repeated(
        60,
        (text) => `${text} + ${text}`,
        "self.set.map(x, x)",
        (text) => `${text}.join(',') == ''`
      )
    ],
    ["lists of lists compared", `${nested} == ${nested}`],
    ["lists within lists compared", "self.ll.all(x, self.ll.all(y, self.ll + [] == self.ll + []))"],
    ["sets compared", "self.l.all(x, self.set == self.set)"],
    ["sizes of texts", "self.l.all(x, size(self.s) > 0)"],
    ["a search for each item", "self.l.all(x, x in self.l)"],
    ["a sum for each item", "self.l.all(x, self.l.sum() >= 0)"],
    ["a pattern on each item", "self.l.all(x, self.s.matches('(a+)+$'))"],
    ["a large pattern", "self.s.matches('(.*){1,1000}[bc]')"],
    ["a pattern that begins anew", "self.s.findAll('a.*b|a').size() > 0"],
    ["parts of a text, for each item", "self.l.map(x, self.s.split('')).size() > 0"],
    [
      "texts formatted into two",
      repeated(
        60,
        (text) => `'%s%s'.format([${text}, ${text}])`,
        "self.s",
        (text) => `${text} != ''`
      )
    ],
    [
      "lists formatted and quoted",
      repeated(
        60,
        (text) => `'%s'.format([[${text}, ${text}]])`,
        "self.s",
        (text) => `strings.quote(${text}) != ''`
      )
    ],
    [
      "lists doubled and flattened",
      repeated(
        60,
        (text) => `[${text}, ${text}].flatten()`,
        "self.l",
        (text) => `${text}.size() > 0`
      )
    ],
    [
      "lists within lists flattened, with a cost of their number only",
      repeated(
        60,
        (text) => `[${text}, ${text}]`,
        "self.l",
        (text) => `${text}.flatten(500).size() > 0`
      )
    ],
    [
      "dynamic lists doubled and sorted, with a cost of 1",
      repeated(
        60,
        (text) => `${text} + ${text}`,
        "self.l",
        (text) => `dyn(${text}).sort() != []`
      )
    ],
    [
      "optional values doubled and unwrapped",
      repeated(
        60,
        (text) => `${text} + ${text}`,
        "self.l.map(x, optional.of(x))",
        (text) => `${text}.unwrapOpt().size() > 0`
      )
    ],
    ["more numbers than there is memory", "lists.range(9223372036854775807).size() > 0"],
    ["a width beyond memory", "'%.9223372036854775807e'.format([1.0]) != ''"],
    ["a number formatted for each item", "self.l.all(x, '%.100f'.format([1e300]) != '')"],
    ["a list formatted for each item", "self.l.all(x, '%s'.format([self.l]) != '')"],
    ["a depth below zero", "self.ll.flatten(-100).size() > 0"]
  ])("are bounded in time and memory: %s", (_, text) => {
    const { meter, result } = run(text)
    assert.isUndefined(result)
    assert.isAbove(meter.cost, PER_CALL_LIMIT)
    assert.isAtMost(meter.steps, 1_000_000)
  })

  it("double a list without copying it", () => {
    const { meter, result } = run(
      repeated(
        50,
        (text) => `${text} + ${text}`,
        "self.l",
        (text) => `${text}.size() > 0`
      )
    )
    assert.isTrue(result)
    assert.isBelow(meter.cost, 400)
  })

  it("collect items in linear time", () => {
    const { meter, result } = run("self.l.map(x, x + 1).filter(x, x > 0).size() == 20000")
    assert.isTrue(result)
    assert.isBelow(meter.steps, 200_000)
  })

  it("share one work budget for an object", () => {
    const work = new Work(1_000_000)
    const rule = withRules(schema, ...numbersUpTo(20).map(() => "self.ll == self.ll"))
    const errors = new ErrorList()
    assert.throws(() => validateRules(errors, object, rule, "f", undefined, false, work), /more work than one request/)
  })
})
