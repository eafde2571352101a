import { assert, describe, it } from "vitest"
import { canonicalJson, escapeHtml, sortedEntries } from "../src/index.ts"

describe("sortedEntries", () => {
  it("orders maps and objects by key, and leaves them as they are", () => {
    const map = new Map([
      ["b", 1],
      ["a", 2],
      ["B", 3]
    ])
    const sorted = [
      ["B", 3],
      ["a", 2],
      ["b", 1]
    ]
    assert.deepStrictEqual(sortedEntries(map) as unknown, sorted)
    assert.deepStrictEqual(sortedEntries(Object.fromEntries(map)) as unknown, sorted)
    assert.deepStrictEqual([...map.keys()], ["b", "a", "B"])
    assert.deepStrictEqual(sortedEntries(undefined), [])
  })
})

describe("canonicalJson", () => {
  it("is equal for values that differ only in the order of keys, at any depth", () => {
    const text = canonicalJson({ b: [{ d: 1, c: null }], a: "x" })
    assert.strictEqual(text, '{"a":"x","b":[{"c":null,"d":1}]}')
    assert.strictEqual(canonicalJson({ a: "x", b: [{ c: null, d: 1 }] }), text)
    assert.notStrictEqual(canonicalJson({ list: ["b", "a"] }), canonicalJson({ list: ["a", "b"] }))
  })
})

describe("escapeHtml", () => {
  it("escapes what encoding/json escapes", () => {
    assert.strictEqual(escapeHtml('"<a>&\u2028\u2029é"'), '"\\u003ca\\u003e\\u0026\\u2028\\u2029é"')
  })
})
