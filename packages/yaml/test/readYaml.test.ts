import { assert, describe, it } from "@effect/vitest"
import { runAllSteps } from "@rollcall/time"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { readYaml, readYamlInSteps } from "../src/readYaml.ts"

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

  it("names keys that are set twice by the lines of their values, the inner ones first", () => {
    const errors = (text: string) => strictErrors(text).flatMap((error) => error.split("\n  ").slice(1))
    assert.deepStrictEqual(errors("a: {}\na:\n  b: 1\n  b:\n\n    |\n    x\n"), [
      'line 6: key "b" already set in map',
      'line 3: key "a" already set in map'
    ])
    assert.deepStrictEqual(errors("1: 2\n1: 3\ntrue: 1\ntrue: 2\n1.5: 1\n1.5: 2"), [
      "line 2: key 1 already set in map",
      "line 4: key true already set in map",
      "line 6: key 1.5 already set in map"
    ])
    assert.deepStrictEqual(errors("b: &b\n  k: 1\nc:\n  k: 2\n  <<: *b\n"), ['line 2: key "k" already set in map'])
    assert.deepStrictEqual(errors("m: 1\nm:\nm: [\n1]\n"), [
      'line 2: key "m" already set in map',
      'line 3: key "m" already set in map'
    ])
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

// As kube-apiserver v1.36.2 answers.
describe("a syntax error", () => {
  it.each([
    ["a: !<x\n", "did not find the expected '>'"],
    ["\na: !e!x y\n", "line 1: found undefined tag handle"],
    ["d:\n  - a\n  b: c\n", "line 2: did not find expected '-' indicator"],
    ["a: |0\n  y\n", "found an indentation indicator equal to 0"],
    ["d:\n  a: b\n  c\n  d: e\n", "line 4: could not find expected ':'"],
    ["d: {a: b c: d}\n", "did not find expected ',' or '}'"],
    ["d: [a: b: c]\n", "did not find expected ',' or ']'"],
    ["d: {: b}\n", "did not find expected node content"],
    ["a: |-\n\t\tx\n", "line 2: found a tab character where an indentation space is expected"],
    ["a: 'b\nc: d", "line 2: found unexpected end of stream"],
    ["*a: b", "unknown anchor 'a' referenced"],
    [":", "did not find expected key"],
    ["? {a: b}\n: c\n d: e", "line 3: mapping values are not allowed in this context"]
  ])("of %j is that of goyaml", (text, message) => assert.strictEqual(refusal(text), `yaml: ${message}`))

  it("comes before the errors of decoding, and ends with the document", () => {
    assert.strictEqual(refusal("a: !!int x\nb: [c"), "yaml: line 2: did not find expected ',' or ']'")
    assert.strictEqual(refusal("a: !!int x\nb: !!int y"), "yaml: cannot decode !!str `x` as a !!int")
    assert.strictEqual(refusal("a: !!timestamp x"), "yaml: cannot decode !!str `x` as a !!timestamp")
    assert.deepStrictEqual(valueIn("a: b\n---\n}"), { a: "b" })
    assert.deepStrictEqual(valueIn('a: "x\ny"'), { a: "x y" })
    assert.deepStrictEqual(valueIn("a: >\n x\n y\n\n  z\n w\n"), { a: "x y\n\n z\nw\n" })
  })

  it("may be that of octets", () => {
    const read = (...octets: ReadonlyArray<number>) =>
      Result.getFailure(runAllSteps(readYamlInSteps("", Uint8Array.from(octets))))
    assert.deepStrictEqual(read(0x61, 0xff), Option.some("yaml: invalid leading UTF-8 octet"))
    assert.deepStrictEqual(read(0xc3, 0x61), Option.some("yaml: invalid trailing UTF-8 octet"))
    assert.deepStrictEqual(read(0xc3), Option.some("yaml: incomplete UTF-8 octet sequence"))
    assert.deepStrictEqual(read(0xc0, 0x80), Option.some("yaml: invalid length of a UTF-8 sequence"))
    assert.deepStrictEqual(read(0xed, 0xa0, 0x80), Option.some("yaml: invalid Unicode character"))
  })
})
