import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { parse, stringify } from "yaml"
import { readYaml } from "../src/index.ts"

const yamlFailure = (text: string): string => {
  const result = readYaml(text)
  return Result.isFailure(result) ? result.failure : "none"
}

describe("YAML", () => {
  it("is read as by a library", () => {
    const scalar = fc.oneof(
      fc.string(),
      fc.constantFrom(
        "yes",
        "0777",
        "1e3",
        "~",
        "<<",
        "- a",
        "a: b",
        "#x",
        " x",
        "x ",
        "a\nb\n",
        'it\'s "q"',
        "1:30",
        "é"
      ),
      fc.integer(),
      // Larger integers are bigints here: exactJson.test.ts has them.
      fc
        .double({ noNaN: true, noDefaultInfinity: true })
        .filter((value) => !Number.isInteger(value) || Number.isSafeInteger(value))
        // goyaml reads -0 as the integer 0.
        .map((value) => (value === 0 ? 0 : value)),
      fc.boolean(),
      fc.constant(null)
    )
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { maxDepth: 4 },
        scalar,
        fc.array(tie("any"), { maxLength: 4 }),
        fc.dictionary(fc.oneof(fc.string(), fc.constantFrom("1", "true", "~", "__proto__")), tie("any"), { maxKeys: 4 })
      )
    })).any
    fc.assert(
      fc.property(
        value,
        // goyaml reads fewer plain texts within brackets than the specification.
        fc.constantFrom(["any", "PLAIN"], ["any", "QUOTE_DOUBLE"], ["any", "BLOCK_LITERAL"], ["flow", "QUOTE_DOUBLE"]),
        (a, [style, text]) => {
          const yaml = stringify({ a }, {
            version: "1.1",
            collectionStyle: style,
            defaultStringType: text,
            lineWidth: 20
          } as object)
          assert.deepStrictEqual(
            Result.getOrThrow(readYaml(yaml)).value,
            parse(yaml, { version: "1.1", schema: "yaml-1.1" })
          )
        }
      ),
      { numRuns: 300 }
    )
  })

  it("includes what goyaml accepts beyond the specification", () => {
    assert.deepStrictEqual(Result.getOrThrow(readYaml("args: [\n  a,\n  b\n]\n")).value, { args: ["a", "b"] })
  })

  it("is parsed to its end before its depth counts", () => {
    const flow = `${"[".repeat(600)}${"]".repeat(600)}`
    // The messages are those of a genuine server; the depth of 500 is the limit here.
    for (const [text, message] of [
      [`kind: ConfigMap\nx: ${flow}\ny: ]\n`, "yaml: line 2: did not find expected node content"],
      [`kind: ConfigMap\nx: ${"[".repeat(600)}\n\n`, "yaml: line 3: did not find expected node content"],
      [`kind: ConfigMap\nx:\n ${"[\n ".repeat(10_001)}\n`, "yaml: line 10003: exceeded max depth of 10000"],
      [`a: b\nx:\n${"- ".repeat(10_002)}a\n`, "yaml: line 3: exceeded max depth of 10000"],
      [`${"- ".repeat(10_002)}a\n`, "yaml: exceeded max depth of 10000"],
      [`x: ${flow}\n---\ny: ]\n`, "yaml: exceeded max depth of 500"]
    ] as const) {
      assert.strictEqual(yamlFailure(text), message)
    }
  })

  it("counts the expansion of aliases", () => {
    const repeated = (text: string, count: number) => `a: &a ${text}\nb: [${Array(count).fill("*a").join()}]`
    const few = Result.getOrThrow(readYaml(repeated("x", 5000))).value as { b: Array<string> }
    assert.strictEqual(few.b.length, 5000)
    assert.include(yamlFailure(repeated("x".repeat(100_000), 100)), "excessive aliasing")
    assert.include(yamlFailure(repeated(`[${Array(2000).fill("x").join()}]`, 300)), "excessive aliasing")
    assert.include(yamlFailure("a: &a [*a]"), "anchor 'a' value contains itself")
    assert.include(yamlFailure("<<: 1"), "map merge requires map or sequence of maps as the value")
    assert.include(yamlFailure("? [a]\n: b"), "invalid map key")
  })

  it("is refused at once where it is large", () => {
    const broken = `data:\n${"  key: value\n".repeat(20_000)}]`
    assert.include(yamlFailure(broken), "yaml: line 20001: did not find expected key")
    assert.include(yamlFailure(`data: [${"a, ".repeat(50_000)}`), "did not find expected node content")
    const doubled = Result.getOrThrow(readYaml(`data:\n${"  key: value\n".repeat(20_000)}`))
    assert.strictEqual(doubled.strictErrors[0]?.split("\n").length, 101)
  })
})
