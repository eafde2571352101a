import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { applyJsonPatch, type Json, maxJsonPatchOperations, statusOfPatchError } from "../../src/patch/index.ts"

const done = (document: unknown, ...patch: ReadonlyArray<unknown>) => Result.getOrThrow(applyJsonPatch(document, patch))
const failure = (document: unknown, patch: unknown) => {
  const result = applyJsonPatch(document, patch)
  assert.isTrue(Result.isFailure(result))
  return Result.isFailure(result) ? result.failure : assert.fail()
}
const message = (document: unknown, ...patch: ReadonlyArray<unknown>) => failure(document, patch).message

describe("applyJsonPatch", () => {
  it("moves and copies between maps and lists", () => {
    const document = { a: { x: 1 }, list: ["p", "q"] }
    assert.deepStrictEqual(done(document, { op: "move", from: "/a/x", path: "/list/0" }), {
      a: {},
      list: [1, "p", "q"]
    })
    assert.deepStrictEqual(done(document, { op: "copy", from: "/list/1", path: "/a/y" }), {
      a: { x: 1, y: "q" },
      list: ["p", "q"]
    })
  })

  it("copies a missing member as null, as upstream does", () => {
    assert.deepStrictEqual(done({ a: {} }, { op: "copy", from: "/a/x", path: "/y" }), { a: {}, y: null })
  })

  it("counts negative indexes from the end", () => {
    assert.deepStrictEqual(done({ l: [1, 2, 3] }, { op: "replace", path: "/l/-1", value: 9 }), { l: [1, 2, 9] })
    assert.deepStrictEqual(done({ l: [1, 2, 3] }, { op: "remove", path: "/l/-3" }), { l: [2, 3] })
    assert.deepStrictEqual(done({ l: [1] }, { op: "add", path: "/l/-1", value: 2 }), { l: [1, 2] })
    assert.strictEqual(
      message({ l: [1] }, { op: "remove", path: "/l/-2" }),
      "error in remove for path: '/l/-2': Unable to access invalid index: -2: invalid index referenced"
    )
  })

  it("tests a missing member as null, a missing place not at all", () => {
    assert.deepStrictEqual(done({ a: 1 }, { op: "test", path: "/b", value: null }), { a: 1 })
    assert.strictEqual(message({ a: 1 }, { op: "test", path: "/b", value: 1 }), "testing value /b failed: test failed")
    assert.strictEqual(
      message({ a: 1 }, { op: "test", path: "/b/c", value: null }),
      "test operation does not apply: is missing path: /b/c: missing value"
    )
    assert.deepStrictEqual(
      done({ a: { b: [1, { c: 2 }] } }, { op: "test", path: "", value: { a: { b: [1, { c: 2 }] } } }),
      {
        a: { b: [1, { c: 2 }] }
      }
    )
  })

  it("applies all operations or none, and leaves its argument alone", () => {
    const document = { a: { b: [1] } }
    const copy = structuredClone(document)
    failure(document, [
      { op: "add", path: "/a/b/-", value: 2 },
      { op: "test", path: "/a/c", value: 1 }
    ])
    done(document, { op: "add", path: "/a/b/-", value: 2 })
    assert.deepStrictEqual(document, copy)
  })

  it("shares what it did not touch", () => {
    const document = { kept: { deep: [1] }, changed: { x: 1 } }
    const result = done(document, { op: "replace", path: "/changed/x", value: 2 }) as typeof document
    assert.strictEqual(result.kept, document.kept)
    assert.strictEqual(done(document, { op: "replace", path: "/changed/x", value: 1 }), document)
  })

  it("reads operations as upstream decodes them", () => {
    assert.strictEqual(message({}, { path: "/a" }), "Unexpected kind: unknown")
    assert.strictEqual(message({}, { op: "toString", path: "/a" }), "Unexpected kind: toString")
    assert.strictEqual(message({}, { op: "add", value: 1 }), "add operation failed to decode path: missing value")
    assert.strictEqual(
      message({}, { op: "replace", value: 1 }),
      "replace operation failed to decode path: operation missing path field: missing value"
    )
    assert.strictEqual(
      message({}, { op: "add", path: "", value: 1 }),
      'add operation does not apply: doc is missing path: "": missing value'
    )
    assert.strictEqual(
      failure({}, { op: "add" }).message,
      "json: cannot unmarshal object into Go value of type jsonpatch.Patch"
    )
    assert.strictEqual(failure({}, ["x"]).code, 400)
    assert.deepStrictEqual(done({}, { op: "add", path: "ignored/a", value: 1 }), { a: 1 })
  })

  it("refuses endless patches", () => {
    const operation = { op: "add", path: "/a", value: 1 }
    const error = failure(
      {},
      Array.from({ length: maxJsonPatchOperations + 1 }, () => operation)
    )
    assert.strictEqual(error.code, 413)
  })

  it("never reaches a prototype", () => {
    const result = done({ a: {} }, { op: "add", path: "/__proto__", value: { polluted: true } })
    assert.isTrue(Object.hasOwn(result as object, "__proto__"))
    assert.strictEqual(Object.getPrototypeOf(result), Object.prototype)
    assert.strictEqual(
      message({}, { op: "add", path: "/constructor/x", value: 1 }),
      'add operation does not apply: doc is missing path: "/constructor/x": missing value'
    )
  })

  it("hides the reason of a failed operation behind the API's general text", () => {
    const status = statusOfPatchError(failure({}, [{ op: "remove", path: "/a" }]))
    assert.strictEqual(status.code, 422)
    assert.strictEqual(status.message, "the server rejected our request due to an error in our request")
  })

  const keys = fc.string({ minLength: 1, maxLength: 3 })
  // fast-check types its JSON values with null-prototype records, which ours are not.
  const json = fc.jsonValue().map((value): Json => JSON.parse(JSON.stringify(value)))
  it("adds what a test then finds, and removes it again, whatever the key", () => {
    fc.assert(
      fc.property(fc.dictionary(keys, json, { noNullPrototype: true }), keys, json, (document, key, value) => {
        fc.pre(!Object.hasOwn(document, key))
        const path = `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`
        const added = done(document, { op: "add", path, value }, { op: "test", path, value })
        assert.deepStrictEqual(done(added, { op: "remove", path }), document)
      })
    )
  })
})
