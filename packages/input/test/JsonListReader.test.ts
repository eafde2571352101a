import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { JsonListReader } from "../src/json/JsonListReader.ts"

/** Reads a text in chunks of this length. Undefined if it is no list of objects. */
const read = (text: string, length: number): unknown => {
  const reader = new JsonListReader()
  for (let from = 0; from < text.length; from += length) {
    if (!reader.push(text.slice(from, from + length))) return undefined
  }
  return reader.end()
}

const pod = (name: string) =>
  `{"kind":"Pod","metadata":{"name":"${name}","labels":{"app":"a"}},"spec":{"nodeName":"n-${name}","containers":[{"name":"c","command":["\\"}]"]}]}}`

interface Item {
  readonly spec: { readonly containers: unknown }
}

describe("JsonListReader", () => {
  it("reads what JSON.parse reads, in chunks of any length", () => {
    const json = fc.jsonValue({ maxDepth: 3 })
    const item = fc.dictionary(fc.string(), fc.oneof(json, fc.dictionary(fc.string(), json)))
    const list = fc.record({ before: json, items: fc.array(item), after: json })
    fc.assert(
      fc.property(list, fc.integer({ min: 1, max: 40 }), fc.constantFrom(undefined, 2), (value, length, indent) => {
        const text = JSON.stringify(value, undefined, indent)
        assert.strictEqual(JSON.stringify(read(text, length)), JSON.stringify(JSON.parse(text)))
      })
    )
  })

  it("reads items that are mostly alike, in chunks of any length", () => {
    const part = fc.oneof(
      fc.constantFrom({ a: "}" }, { a: "}" }, ["]", '\\\\"'], [1, [2]]),
      fc.jsonValue({ maxDepth: 2 })
    )
    const member = fc.dictionary(fc.constantFrom("a", "b", "c"), part)
    const item = fc.record({ metadata: member, spec: member, status: fc.oneof(member, fc.constant([{ a: [] }])) })
    const lists = fc
      .tuple(fc.array(item, { minLength: 1, maxLength: 3 }), fc.array(fc.nat(2), { maxLength: 12 }))
      .map(([kinds, order]) => ({ items: order.map((at) => kinds[at % kinds.length]) }))
    fc.assert(
      fc.property(lists, fc.integer({ min: 1, max: 60 }), fc.constantFrom(undefined, 2), (value, length, indent) => {
        const text = JSON.stringify(value, undefined, indent)
        assert.strictEqual(JSON.stringify(read(text, length)), JSON.stringify(JSON.parse(text)))
      })
    )
  })

  it("makes equal parts of items one value", () => {
    const { items } = read(`{"items":[${pod("a")},${pod("b")}]}`, 7) as { readonly items: ReadonlyArray<Item> }
    assert.deepEqual(items, [JSON.parse(pod("a")), JSON.parse(pod("b"))])
    assert.strictEqual(items[0]?.spec.containers, items[1]?.spec.containers)
  })

  it.each([
    ['{"items":[{"spec":{"a":[1],"a":{"b":2}},"spec":{"a":[3]}}]}'],
    ['{"items":[{"sp\\u0065c":{"\\u0061":[1]}},{"__proto__":{"a":[1]},"spec":{"__proto__":{"b":1}}}]}'],
    ['{"items":[{"spec":[{"a":[1]}],"a":1e-300}]}'],
    ['{"items":[],"metadata":{"items":[1]}}'],
    ['\n{"kind":"é\u{1F600}","items" : [ {"a":{"b":["é"]}} , {} ] }\n']
  ])("reads names that are given twice or with escapes, as in %s", (text) => {
    for (const length of [1, 3, 1000]) assert.deepEqual(read(text, length), JSON.parse(text))
  })

  it.each([
    ["an object without items", '{"kind":"Pod"}'],
    ["a list", '[{"items":[{}]}]'],
    ["items that are no objects", '{"items":[1]}'],
    ["an item that is a list", '{"items":[[]]}'],
    ["an item that is a text", '{"items":["a"]}'],
    ["two lists", '{"items":[{}],"items":[{}]}'],
    ["several documents", '{"items":[{}]}{"items":[{}]}'],
    ["text after the list", '{"items":[{}]} x'],
    ["no comma", '{"items":[{}{}]}'],
    ["two commas", '{"items":[{},,{}]}'],
    ["a comma at the end", '{"items":[{},]}'],
    ["an end that is missing", '{"items":[{}]'],
    ["an end within a text", '{"items":[{}],"a":"'],
    ["an end too many", '{"items":[{}]}}'],
    ["a wrong item", '{"items":[{"a":{"b":[1,]}}]}'],
    ["a wrong end", '{"items":[{"a":{"b":[1}}]}'],
    ["YAML", "items: [{}]"]
  ])("returns undefined for %s", (_, text) => {
    for (const length of [1, 1000]) assert.isUndefined(read(text, length))
  })
})
