import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { stringify } from "yaml"
import { readYaml, writeYaml } from "../src/index.ts"

const texts = fc.oneof(
  fc.string(),
  fc.constantFrom("yes", "0777", "1e3", "~", "- a", "a: b", "#x", " x", "x ", "a #b", "it's", 'say "q"', "1:30", "é"),
  fc.constantFrom(
    "",
    "a\nb",
    "a\nb\n",
    "a\n\n\n",
    "  a\nb\n\n",
    "\n",
    "\n a",
    "a\tb\n",
    "---",
    "...",
    "-",
    "?",
    ":",
    "a:"
  ),
  fc.constantFrom(
    "10.0.0.1/8",
    "k8s.io/x",
    "2026-01-01T00:00:00Z",
    "1Gi",
    "100m",
    "[x]",
    "*a",
    "%x",
    "@x",
    "=",
    "<<",
    "."
  )
)
/** Go writes the merge key plain, so that it does not read back. */
const keys = texts.filter((text) => text !== "<<")
const { any } = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 5 },
    texts,
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("any"), { maxLength: 4 }),
    fc.dictionary(keys, tie("any"), { maxKeys: 4, noNullPrototype: true })
  )
}))

describe("YAML as goyaml writes it", () => {
  it("writes numbers that are no integers of Go with exponents", () => {
    const numbers = [1e20, 1e21, 1e-7, 0.00001, 15000000000.5, -(2 ** 63), 0.5, 1e6, 2 ** 63, 2n ** 62n, -0]
    assert.strictEqual(
      writeYaml(numbers),
      "- 1e+20\n- 1e+21\n- 1e-07\n- 1e-05\n- 1.50000000005e+10\n- -9.223372036854776e+18\n- 0.5\n- 1000000\n" +
        "- 9223372036854776000\n- 4611686018427387904\n- 0\n"
    )
  })

  it("reads back as the written value", () => {
    fc.assert(
      fc.property(fc.dictionary(keys, any, { noNullPrototype: true }), (object) => {
        const read = readYaml(writeYaml(object))
        assert.deepStrictEqual(Result.isSuccess(read) ? read.success.value : read.failure, object)
      }),
      { numRuns: 1000 }
    )
  })

  it("has sorted keys, and lists without indentation", () => {
    const object = {
      kind: "Pod",
      apiVersion: "v1",
      metadata: {
        name: "p",
        labels: {},
        creationTimestamp: "2026-01-01T00:00:00Z",
        annotations: { a: "true", b: "x y" }
      },
      spec: {
        containers: [
          { name: "c", args: ["-c", "a\nb\n", "--x=y"], ports: [{ containerPort: 80 }], env: [] },
          { name: "d", nested: [["a"], [], [["b", { c: 1.5 }]]] }
        ]
      }
    }
    const sortMapEntries = (a: { key: unknown }, b: { key: unknown }) => (String(a.key) < String(b.key) ? -1 : 1)
    const expected = stringify(object, { version: "1.1", sortMapEntries, indentSeq: false, lineWidth: 0 })
    assert.strictEqual(writeYaml(object), expected)
    assert.strictEqual(writeYaml({ "f:data": { ".": {}, "f:a": {} } }), "f:data:\n  .: {}\n  f:a: {}\n")
  })

  it("has the quotes, line breaks and order of keys of goyaml", () => {
    const long = "only the following types are accepted: application/json;stream=watch, application/x"
    const object = {
      k10: "x: y",
      k2: "5",
      k1: "2021-03-04",
      m: long,
      n: `${"word ".repeat(18)}end`,
      o: "a\tb #c",
      p: " a\n\nb"
    }
    const lines = [
      'k1: "2021-03-04"',
      'k2: "5"',
      "k10: 'x: y'",
      "m: 'only the following types are accepted: application/json;stream=watch, application/x'",
      `"n": ${"word ".repeat(16).trim()}`,
      "  word word end",
      'o: "a\\tb #c"',
      "p: |2-",
      "   a",
      "",
      "  b"
    ]
    assert.strictEqual(writeYaml(object), `${lines.join("\n")}\n`)
  })
})

describe("a text with line breaks of Unicode", () => {
  it("is in single quotes and indented after them, in double ones next to a space", () => {
    const object = { data: { a: "b&\u2028c'", d: "e \u2029f", g: "h\u2028" } }
    const lines = ["data:", "  a: 'b&\u2028    c'''", '  d: "e \\Pf"', "  g: 'h\u2028'"]
    assert.strictEqual(writeYaml(object), `${lines.join("\n")}\n`)
  })
})

describe("a key of more than 128 bytes", () => {
  const long = "k".repeat(129)

  it("is written before its value, as Go does", () => {
    const given = { a: [{ [long]: [1], b: 2 }], [long]: { c: { d: 1 } }, ["é".repeat(70)]: "x", ["m".repeat(128)]: {} }
    assert.strictEqual(
      writeYaml(given),
      [
        "a:",
        "- b: 2",
        `  ? ${long}`,
        "  : - 1",
        `? ${long}`,
        ": c:",
        "    d: 1",
        `${"m".repeat(128)}: {}`,
        `? ${"é".repeat(70)}`,
        ": x",
        ""
      ].join("\n")
    )
    assert.deepStrictEqual(Result.getOrThrow(readYaml(writeYaml(given))).value, given)
  })
})
