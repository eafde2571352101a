import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { applyJsonPatch, type Json, statusOfPatchError } from "../../src/patch/index.ts"
import { maxJsonPatchOperations } from "../../src/patch/JsonPatch.ts"
import { parseJsonPatch } from "../../src/wire/index.ts"

const applyPatch = (document: unknown, ...patch: ReadonlyArray<unknown>) =>
  Result.getOrThrow(applyJsonPatch(document, patch))
const failure = (document: unknown, patch: unknown) => {
  const result = applyJsonPatch(document, patch)
  assert.isTrue(Result.isFailure(result))
  return Result.isFailure(result) ? result.failure : assert.fail()
}
const message = (document: unknown, ...patch: ReadonlyArray<unknown>) => failure(document, patch).message

interface Operation {
  readonly op: string
  readonly path: string
  readonly from: string
  readonly value: unknown
}

type Place = Record<string, unknown> | Array<unknown>

/** The operations one after the other on a copy, as RFC 6902 and upstream's liberties say; undefined where one fails. */
const applyNaively = (given: unknown, patch: ReadonlyArray<Operation>): unknown => {
  const document = structuredClone(given) as Place
  const indexIn = (key: string, end: number) => {
    if (key === "-") return end
    if (!/^\d+$/.test(key) || Number(key) > end) throw new RangeError(key)
    return Number(key)
  }
  const read = (place: Place, key: string): unknown =>
    Array.isArray(place) ? place[indexIn(key === "-" ? "x" : key, place.length - 1)] : (place[key] ?? null)
  const find = (path: string): readonly [Place, string] => {
    const tokens = path.split("/").slice(1)
    const place = tokens.slice(0, -1).reduce<unknown>((at, key) => {
      if (typeof at !== "object" || at === null) throw new RangeError(path)
      return read(at as Place, key)
    }, document)
    if (typeof place !== "object" || place === null) throw new RangeError(path)
    return [place as Place, tokens.at(-1) ?? ""]
  }
  const add = ([place, key]: readonly [Place, string], value: unknown) => {
    if (Array.isArray(place)) place.splice(indexIn(key, place.length), 0, value)
    else place[key] = value
  }
  const remove = ([place, key]: readonly [Place, string]) => {
    if (Array.isArray(place)) place.splice(indexIn(key === "-" ? "x" : key, place.length - 1), 1)
    else if (key in place) delete place[key]
    else throw new RangeError(key)
  }
  try {
    for (const { from, op, path, value } of patch) {
      const copy = structuredClone(value)
      if (op === "add") add(find(path), copy)
      else if (op === "remove") remove(find(path))
      else if (op === "replace") {
        const [place, key] = find(path)
        read(place, key)
        ;(place as Record<string, unknown>)[key] = copy
      } else if (op === "move") {
        const found = read(...find(from))
        remove(find(from))
        add(find(path), found)
      } else if (op === "copy") add(find(path), structuredClone(read(...find(from))))
      else assert.deepStrictEqual(read(...find(path)), value)
    }
    return document
  } catch {
    return undefined
  }
}

describe("applyJsonPatch", () => {
  it("moves and copies between maps and lists", () => {
    const document = { a: { x: 1 }, list: ["p", "q"] }
    assert.deepStrictEqual(applyPatch(document, { op: "move", from: "/a/x", path: "/list/0" }), {
      a: {},
      list: [1, "p", "q"]
    })
    assert.deepStrictEqual(applyPatch(document, { op: "copy", from: "/list/1", path: "/a/y" }), {
      a: { x: 1, y: "q" },
      list: ["p", "q"]
    })
  })

  it("copies a missing member as null, as upstream does", () => {
    assert.deepStrictEqual(applyPatch({ a: {} }, { op: "copy", from: "/a/x", path: "/y" }), { a: {}, y: null })
  })

  it("counts negative indexes from the end", () => {
    assert.deepStrictEqual(applyPatch({ l: [1, 2, 3] }, { op: "replace", path: "/l/-1", value: 9 }), { l: [1, 2, 9] })
    assert.deepStrictEqual(applyPatch({ l: [1, 2, 3] }, { op: "remove", path: "/l/-3" }), { l: [2, 3] })
    assert.deepStrictEqual(applyPatch({ l: [1] }, { op: "add", path: "/l/-1", value: 2 }), { l: [1, 2] })
    assert.strictEqual(
      message({ l: [1] }, { op: "remove", path: "/l/-2" }),
      "error in remove for path: '/l/-2': Unable to access invalid index: -2: invalid index referenced"
    )
  })

  it("tests a missing member as null, but fails for a missing parent", () => {
    assert.deepStrictEqual(applyPatch({ a: 1 }, { op: "test", path: "/b", value: null }), { a: 1 })
    assert.strictEqual(message({ a: 1 }, { op: "test", path: "/b", value: 1 }), "testing value /b failed: test failed")
    assert.strictEqual(
      message({ a: 1 }, { op: "test", path: "/b/c", value: null }),
      "test operation does not apply: is missing path: /b/c: missing value"
    )
    assert.deepStrictEqual(
      applyPatch({ a: { b: [1, { c: 2 }] } }, { op: "test", path: "", value: { a: { b: [1, { c: 2 }] } } }),
      {
        a: { b: [1, { c: 2 }] }
      }
    )
  })

  it("compares the texts of scalars, in which Go escapes more than it must", () => {
    const document = { a: "<b>", n: 1, e: "\u00e9" }
    const patched = (text: string) => applyJsonPatch(document, Result.getOrThrow(parseJsonPatch(text)))
    const passes = (path: string, value: string) =>
      Result.isSuccess(patched(`[{"op":"test","path":"/${path}","value":${value}}]`))
    assert.deepStrictEqual(
      ['"<b>"', '"\\u003cb\\u003e"', '"\\u003Cb\\u003E"'].map((value) => passes("a", value)),
      [false, true, false]
    )
    assert.deepStrictEqual([passes("e", '"\u00e9"'), passes("e", '"\\u00e9"')], [true, false])
    assert.deepStrictEqual([passes("n", "1"), passes("n", "1.0")], [true, false])
    // What an operation adds keeps its text until it is copied.
    const add = '{"op":"add","path":"/b","value":"<"},{"op":"test","path":"/b","value":"<"}'
    assert.deepStrictEqual(Result.getOrThrow(patched(`[${add}]`)), { ...document, b: "<" })
    const copy = '{"op":"copy","from":"/b","path":"/c"},{"op":"test","path":"/c","value":'
    assert.isTrue(Result.isFailure(patched(`[${add},${copy}"<"}]`)))
    assert.deepStrictEqual(Result.getOrThrow(patched(`[${add},${copy}"\\u003c"}]`)), { ...document, b: "<", c: "<" })
    assert.deepStrictEqual(Result.getOrThrow(patched('[{"op":"\\u0061dd","path":"/\\u0061","value":1}]')), {
      ...document,
      a: 1
    })
  })

  it("applies all operations or none, and does not mutate its argument", () => {
    const document = { a: { b: [1] } }
    const copy = structuredClone(document)
    failure(document, [
      { op: "add", path: "/a/b/-", value: 2 },
      { op: "test", path: "/a/c", value: 1 }
    ])
    applyPatch(document, { op: "add", path: "/a/b/-", value: 2 })
    assert.deepStrictEqual(document, copy)
  })

  it("shares unchanged parts", () => {
    const document = { kept: { deep: [1] }, changed: { x: 1 } }
    const result = applyPatch(document, { op: "replace", path: "/changed/x", value: 2 }) as typeof document
    assert.strictEqual(result.kept, document.kept)
    assert.strictEqual(applyPatch(document, { op: "replace", path: "/changed/x", value: 1 }), document)
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
    assert.deepStrictEqual(applyPatch({}, { op: "add", path: "ignored/a", value: 1 }), { a: 1 })
  })

  it("refuses endless patches", () => {
    const operation = { op: "add", path: "/a", value: 1 }
    const error = failure(
      {},
      Array.from({ length: maxJsonPatchOperations + 1 }, () => operation)
    )
    assert.strictEqual(error.code, 413)
  })

  it("never changes a prototype", () => {
    const result = applyPatch({ a: {} }, { op: "add", path: "/__proto__", value: { polluted: true } })
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

  it("accepts ten thousand operations on a document of a hundred thousand members", { timeout: 20_000 }, () => {
    const data = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`key-${index}`, "x"]))
    const list = Array.from({ length: 100_000 }, (_, index) => index)
    const patch = (make: (index: number) => object) =>
      Array.from({ length: maxJsonPatchOperations }, (_, at) => make(at))
    const added = applyPatch({ data }, ...patch((at) => ({ op: "add", path: `/data/new-${at}`, value: at })))
    assert.strictEqual(Object.keys((added as { data: object }).data).length, 110_000)
    const inserted = applyPatch({ list }, ...patch((at) => ({ op: "add", path: "/list/0", value: -at }))) as {
      list: Array<number>
    }
    assert.deepStrictEqual(inserted.list.slice(0, 2), [-9999, -9998])
    assert.strictEqual(inserted.list.length, 110_000)
    const tests = patch(() => ({ op: "test", path: "/data", value: {} }))
    assert.include(message({ data }, ...tests), "testing value /data failed")
    const document = { data: { data } }
    assert.strictEqual(applyPatch(document, ...patch(() => ({ op: "test", path: "/other", value: null }))), document)
  })

  it("copies no more than 3 MiB in all", () => {
    const doubling = Array.from({ length: 40 }, (_, at) => ({ op: "copy", from: "/a", path: `/a/k${at}` }))
    const error = failure({ a: { x: "y" } }, doubling)
    assert.strictEqual(error.code, 422)
    assert.match(
      error.message,
      /^Unable to complete the copy, the accumulated size increase of copy is \d+, exceeding the limit 3145728$/
    )
    const text = "x".repeat(1024 * 1024)
    const copies = (count: number) =>
      Array.from({ length: count }, (_, at) => ({ op: "copy", from: "/a", path: `/c${at}` }))
    assert.strictEqual(failure({ a: text }, copies(3)).code, 422)
    applyPatch({ a: text.slice(2) }, ...copies(3))
  })

  it("refuses operations whose result is nested too deep", () => {
    const nested = (depth: number): unknown => JSON.parse(`${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`)
    const deep = Array.from({ length: 400 }, () => "a")
    const add = { op: "add", path: `/${deep.join("/")}`, value: nested(400) }
    assert.strictEqual(failure(nested(401), [add]).message, "exceeded max depth")
    const wrap = (at: number) => [
      { op: "add", path: `/w${at}`, value: {} },
      { op: "move", from: at === 0 ? "/a" : `/w${at - 1}`, path: `/w${at}/in` }
    ]
    const wraps = Array.from({ length: 4000 }, (_, at) => wrap(at)).flat()
    assert.strictEqual(failure({ a: {} }, wraps).message, "exceeded max depth")
    const copied = { op: "copy", from: "/w3999", path: "/c" }
    assert.strictEqual(failure({ a: {} }, [...wraps, copied]).message, "exceeded max depth")
  })

  it("has the result of a simple implementation", () => {
    const token = fc.constantFrom("a", "b", "0", "1", "-", "l")
    const path = fc.array(token, { minLength: 1, maxLength: 3 }).map((tokens) => `/${tokens.join("/")}`)
    const value = fc.constantFrom<unknown>(1, null, {}, [], { a: 1 }, [1, 2], { l: [{ b: 2 }] })
    const operation = fc.record({
      op: fc.constantFrom("add", "remove", "replace", "move", "copy", "test"),
      path,
      from: path,
      value
    })
    const document = { a: { b: 1, l: [1, { a: 2 }] }, l: [[0], { b: {} }], b: "x" }
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 6 }), (patch) => {
        const made = applyJsonPatch(document, patch)
        assert.deepStrictEqual(Result.isSuccess(made) ? made.success : undefined, applyNaively(document, patch))
      }),
      { numRuns: 500 }
    )
  })

  const keys = fc.string({ minLength: 1, maxLength: 3 })
  // fast-check types its JSON values with null-prototype records, which ours are not.
  const json = fc.jsonValue().map((value): Json => JSON.parse(JSON.stringify(value)))
  it("adds a member that a test then finds, and removes it again, whatever the key", () => {
    fc.assert(
      fc.property(fc.dictionary(keys, json, { noNullPrototype: true }), keys, json, (document, key, value) => {
        fc.pre(!Object.hasOwn(document, key))
        const path = `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`
        const added = applyPatch(document, { op: "add", path, value }, { op: "test", path, value })
        assert.deepStrictEqual(applyPatch(added, { op: "remove", path }), document)
      })
    )
  })
})
