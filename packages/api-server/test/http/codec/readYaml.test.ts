import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { readYaml } from "../../../src/http/codec/yamlText.ts"

const valueIn = (text: string): unknown => {
  const result = readYaml(text)
  return Result.isSuccess(result) ? result.success.value : `refused: ${result.failure}`
}
const refusal = (text: string): string | undefined => {
  const result = readYaml(text)
  return Result.isFailure(result) ? result.failure : undefined
}
const strictErrors = (text: string) => Result.getOrThrow(readYaml(text)).strictErrors

describe("YAML as goyaml reads it", () => {
  it("decodes binary values", () => {
    assert.deepStrictEqual(valueIn("a: !!binary aGk="), { a: "hi" })
    assert.deepStrictEqual(valueIn("a: !!binary |\n  aGVs\n  bG8=\n"), { a: "hello" })
    assert.deepStrictEqual(valueIn("a: !!binary /w=="), { a: "\ufffd" })
    assert.deepStrictEqual(valueIn("{!!binary aGk= : b}"), { hi: "b" })
    for (const text of ["x", "aGk", "a b=", "a-_="]) {
      assert.strictEqual(refusal(`a: !!binary "${text}"`), "yaml: !!binary value contains invalid base64 data")
    }
  })

  it("merges maps where they are written", () => {
    assert.deepStrictEqual(valueIn("{a: c, <<: {a: b}}"), { a: "b" })
    assert.deepStrictEqual(valueIn("{<<: {a: b}, a: c}"), { a: "c" })
    assert.deepStrictEqual(valueIn("{<<: [{a: x}, {a: y, b: z}]}"), { a: "x", b: "z" })
    assert.deepStrictEqual(strictErrors("{<<: {a: b}, c: d}"), [])
    const repeated = ['yaml: unmarshal errors:\n  line 1: key "a" already set in map']
    assert.deepStrictEqual(strictErrors("{<<: {a: b}, a: c}"), repeated)
    assert.deepStrictEqual(strictErrors("{<<: [{a: x}, {a: y}]}"), repeated)
  })

  it("refuses what JSON has no form of", () => {
    assert.strictEqual(refusal("a: .inf"), "json: unsupported value: +Inf")
    assert.strictEqual(refusal("- -.Inf"), "json: unsupported value: -Inf")
    assert.strictEqual(refusal("a: .nan"), "json: unsupported value: NaN")
    const key = "unsupported map key of type: %!s(<nil>), key: <nil>, value: "
    assert.strictEqual(refusal("~: [1, x, ~]"), `${key}[]interface {}{1, "x", interface {}(nil)}`)
    assert.strictEqual(refusal("[a]: b"), 'yaml: invalid map key: []interface {}{"a"}')
    assert.deepStrictEqual(valueIn("{.inf: a, -.inf: b, .nan: c, 1.23456789: d, .5: e}"), {
      ".inf": "a",
      "-.inf": "b",
      ".nan": "c",
      "1.2345679": "d",
      "0.5": "e"
    })
  })

  it.each([
    ["%YAML 1.1\n", "line 1: did not find expected <document start>"],
    ["%YAML 1.1\na: b", "line 1: did not find expected <document start>"],
    ["\n\n%YAML 1.1\n\n# c\na: b", "line 5: did not find expected <document start>"],
    ["%YAML 1.2\n---\na: b", "found incompatible YAML document"],
    ["%YAML 1.1\n%YAML 1.1\n---\n", "line 1: found duplicate %YAML directive"],
    ["%YAML 1.1 x\n---\n", "did not find expected comment or line break"],
    ["%TAG !\n---\n", "did not find expected whitespace"],
    ["...", "did not find expected node content"],
    ["# c\n...\n", "line 1: did not find expected node content"],
    ["\t", "found character that cannot start any token"],
    ["# c\n\t# d", "line 2: found character that cannot start any token"],
    ['a: "\\/"', "found unknown escape character"],
    ['a: "\\U00110000"', "found invalid Unicode character escape code"],
    ["a: *\n", "did not find expected alphabetic or numeric character"]
  ])("refuses %j", (text, why) => {
    assert.strictEqual(refusal(text), `yaml: ${why}`)
  })

  it("takes a directive, and reads no further than a text in quotes", () => {
    assert.deepStrictEqual(valueIn("%YAML 1.1 # c\n---\na: b"), { a: "b" })
    assert.deepStrictEqual(valueIn("%TAG ! tag:x\n---\na: b"), { a: "b" })
    assert.deepStrictEqual(valueIn('"x" y'), "x")
    assert.deepStrictEqual(valueIn('a: "\\\\/"'), { a: "\\/" })
  })
})
