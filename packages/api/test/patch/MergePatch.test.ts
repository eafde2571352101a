import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { applyMergePatch, type Json } from "../../src/patch/index.ts"

const merge = (document: unknown, patch: unknown): Json => Result.getOrThrow(applyMergePatch(document, patch))

const map = fc.letrec<{ value: Json; map: Json }>((tie) => ({
  map: fc.dictionary(fc.constantFrom("a", "b", "c"), tie("value"), { maxKeys: 3, noNullPrototype: true }),
  value: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom<Json>(null, 0, 1, "x", false),
    fc.array(fc.constantFrom<Json>(0, "y"), { maxLength: 2 }),
    tie("map")
  )
})).map

describe("applyMergePatch", () => {
  it("obeys RFC 7386: members of the patch are set, other members stay", () => {
    const member = (map: Json, key: string) => (map as Record<string, Json>)[key]
    fc.assert(
      fc.property(map, map, (document, patch) => {
        const result = merge(document, patch)
        for (const key of ["a", "b", "c"]) {
          const wanted = member(patch, key)
          if (wanted === undefined)
            assert.deepStrictEqual<Json>(member(result, key) ?? null, member(document, key) ?? null)
          else if (wanted === null) assert.isFalse(Object.hasOwn(result as object, key))
          else if (typeof wanted !== "object" || Array.isArray(wanted))
            assert.deepStrictEqual<Json>(member(result, key) ?? null, wanted)
        }
      })
    )
  })

  it("is idempotent, and returns the same document when nothing changes", () => {
    fc.assert(
      fc.property(map, map, (document, patch) => {
        const once = merge(document, patch)
        assert.strictEqual(merge(once, patch), once)
        assert.strictEqual(merge(document, {}), document)
      })
    )
  })

  it("shares unchanged parts and mutates no argument", () => {
    const document = { metadata: { labels: { a: "1" } }, spec: { taints: [] } }
    const copy = structuredClone(document)
    const result = merge(document, { metadata: { labels: { b: "2" } } }) as typeof document
    assert.strictEqual(result.spec, document.spec)
    assert.deepStrictEqual(document, copy)
  })

  it("deletes as many members as the patch says, and copies the map only a few times", () => {
    const keys = Array.from({ length: 20_000 }, (_, index) => `key-${index}`)
    const data = Object.fromEntries(keys.map((key) => [key, "value"]))
    const nulls = Object.fromEntries(keys.slice(1).map((key) => [key, null]))
    assert.deepStrictEqual(merge({ data }, { data: nulls }), { data: { "key-0": "value" } })
    assert.lengthOf(Object.keys(data), keys.length)
  })

  it("removes nulls of new members, but not where a map becomes a list", () => {
    assert.deepStrictEqual(merge({}, { a: { b: null, c: 1 } }), { a: { c: 1 } })
    assert.deepStrictEqual(merge({ a: [] }, { a: [{ b: null }, null] }), { a: [{}, null] })
    assert.deepStrictEqual(merge({ a: {} }, { a: [{ b: null }] }), { a: [{ b: null }] })
    assert.deepStrictEqual(merge({ a: null }, { a: { b: null } }), { a: {} })
  })

  it("refuses a body that is neither a map nor a list", () => {
    const result = applyMergePatch({}, "x")
    assert.isTrue(Result.isFailure(result) && result.failure.code === 400)
  })
})
