import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { storedText } from "../src/internal/storedText.ts"

const stored = (value: unknown) => storedText(value, JSON.stringify(value))

describe("the text in etcd", () => {
  it("has no resourceVersion of the object", () => {
    assert.strictEqual(
      stored({ metadata: { name: "a", resourceVersion: "7", uid: "u" } }),
      '{"metadata":{"name":"a","uid":"u"}}'
    )
    assert.strictEqual(
      stored({ metadata: { name: "a", resourceVersion: "" }, spec: 1 }),
      '{"metadata":{"name":"a"},"spec":1}'
    )
    assert.strictEqual(stored({ metadata: { resourceVersion: "7" } }), '{"metadata":{}}')
  })

  it("has what else is called so", () => {
    const event = { involvedObject: { resourceVersion: "7" }, metadata: { resourceVersion: "7" } }
    assert.strictEqual(stored(event), '{"involvedObject":{"resourceVersion":"7"},"metadata":{}}')
    const text = { data: { a: '"resourceVersion":"7"' }, metadata: { resourceVersion: "7" } }
    assert.deepStrictEqual(JSON.parse(stored(text)), { ...text, metadata: {} })
    for (const value of [null, 7, "text", [], { metadata: null }, { metadata: { resourceVersion: 7 } }]) {
      assert.strictEqual(stored(value), JSON.stringify(value))
    }
  })

  it("is otherwise the JSON of the value", () => {
    const metadata = fc.dictionary(
      fc.constantFrom("name", "resourceVersion", "uid", "labels"),
      fc.constantFrom("7", "", '"resourceVersion":"7"')
    )
    const objects = fc.record({ spec: fc.jsonValue(), metadata, other: metadata })
    fc.assert(
      fc.property(objects, (value) => {
        const { resourceVersion: _, ...rest } = value.metadata
        assert.deepStrictEqual(JSON.parse(stored(value)), JSON.parse(JSON.stringify({ ...value, metadata: rest })))
      })
    )
  })
})
