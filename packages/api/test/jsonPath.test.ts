import * as Result from "effect/Result"
import { assert, describe, it } from "vitest"
import { findJsonPath, goJson, humanDuration, parseJsonPath, printJsonPath } from "../src/printing/index.ts"

const data = {
  kind: "List",
  items: [
    {
      metadata: { name: "a", labels: { "x.y/z": "1" } },
      conditions: [{ type: "Ready", status: "True", count: 3 }, { type: "Disk" }]
    },
    { metadata: { name: "b" }, conditions: [{ type: "Disk", status: "False", count: 1 }] }
  ]
}

const print = (template: string, allowMissingKeys = true): string => {
  const result = Result.flatMap(parseJsonPath(template), (path) => printJsonPath(path, data, { allowMissingKeys }))
  return Result.isSuccess(result) ? result.success : `error: ${result.failure.message}`
}

describe("JSONPath", () => {
  it("finds fields, elements, slices, unions and descendants", () => {
    assert.strictEqual(print("{.kind}"), "List")
    assert.strictEqual(print("{$.items[*].metadata.name}"), "a b")
    assert.strictEqual(print("{.items[-1].metadata.name}"), "b")
    assert.strictEqual(print("{.items[0:2].metadata.name}"), "a b")
    assert.strictEqual(print("{.items[0:2:2].metadata.name}"), "a")
    assert.strictEqual(print("{.items[0]['metadata','kind']}"), '{"labels":{"x.y/z":"1"},"name":"a"}')
    assert.strictEqual(print("{.items[0].metadata.labels.x\\.y/z}"), "1")
    assert.strictEqual(print("{..name}"), "a b")
    assert.strictEqual(print("{.items[0].metadata.*}"), 'a {"x.y/z":"1"}')
  })

  it("filters, and skips elements without the field", () => {
    assert.strictEqual(print('{.items[*].conditions[?(@.type=="Ready")].status}'), "True")
    assert.strictEqual(print("{.items[*].conditions[?(@.count>=2)].type}"), "Ready")
    assert.strictEqual(print("{.items[*].conditions[?(@.status)].type}"), "Ready Disk")
    assert.strictEqual(
      print('{.items[*].conditions[?(@.count=="x")].type}'),
      "error: incompatible types for comparison"
    )
  })

  it("repeats the body of a range, ranges within ranges too", () => {
    assert.strictEqual(
      print('{range .items[*]}{.metadata.name}: {range .conditions[*]}{.type},{end}{"\\n"}{end}!'),
      "a: Ready,Disk,\nb: Disk,\n!"
    )
  })

  it("refuses invalid templates with upstream's messages", () => {
    assert.strictEqual(print("{.kind"), "error: unclosed action")
    assert.strictEqual(print("{#}"), "error: unrecognized character in action: U+0023 '#'")
    assert.strictEqual(print("{.items[0}"), "error: unterminated array")
    assert.strictEqual(print("{.items[x]}"), "error: invalid array index x")
    assert.strictEqual(print("{.items[?(@.a==1]}"), "error: unterminated filter")
    assert.strictEqual(print('{"a}'), "error: unterminated quoted string")
    assert.strictEqual(print("{end}"), "error: not in range, nothing to end")
    assert.strictEqual(print("{word}"), "error: unrecognized identifier word")
    assert.strictEqual(print("{....a}"), "error: invalid multiple recursive descent")
  })

  it("reports data that does not fit", () => {
    assert.strictEqual(print("{.items[7]}"), "error: array index out of bounds: index 7, length 2")
    assert.strictEqual(print("{.kind[0]}"), "error: string is not array or slice")
    assert.strictEqual(print("{.nope}", false), "error: nope is not found")
    assert.strictEqual(print("{.nope}"), "")
  })
})

describe("a bounded search", () => {
  const nested = (depth: number): unknown => (depth === 0 ? { a: 1 } : { a: [nested(depth - 1)] })

  it.each([
    ["unions that multiply", `{.a${"[0,0]".repeat(40).replaceAll("][", "].a[")}}`],
    ["descents that multiply", `{${"..a".repeat(20)}}`],
    ["wildcards after unions", `{.a[${"0,".repeat(5000)}0].*.*.*}`],
    ["slices after unions", `{.a[${"0,".repeat(5000)}0].a[0:1].a[0:1]}`]
  ])("ends at so many values: %s", (_, template) => {
    const found = Result.flatMap(parseJsonPath(template), (path) =>
      findJsonPath(path, nested(40), { allowMissingKeys: true, maxValues: 10_000 })
    )
    assert.isTrue(Result.isFailure(found))
    if (Result.isFailure(found)) assert.strictEqual(found.failure.message, "the path names more than 10000 values")
  })

  it("does not change results within the bound", () => {
    const found = Result.flatMap(parseJsonPath("{.items[*].metadata.name}"), (path) =>
      findJsonPath(path, data, { maxValues: 30 })
    )
    assert.deepStrictEqual(found, Result.succeed([["a", "b"]]))
  })
})

describe("goJson", () => {
  it("orders keys by their bytes, also numeric ones, and escapes HTML characters", () => {
    assert.strictEqual(
      goJson({ b: "<&>", "2": 1, "10": [], a: {} }),
      '{"10":[],"2":1,"a":{},"b":"\\u003c\\u0026\\u003e"}'
    )
    assert.strictEqual(
      goJson({ a: [1, { b: null }] }, 4),
      '{\n    "a": [\n        1,\n        {\n            "b": null\n        }\n    ]\n}'
    )
  })
})

describe("humanDuration", () => {
  it("never uses more than two units", () => {
    for (let seconds = 0; seconds < 4e8; seconds = seconds * 1.3 + 1) {
      assert.match(humanDuration(seconds * 1000), /^\d+[smhdy](\d+[smhd])?$/)
    }
  })
})
