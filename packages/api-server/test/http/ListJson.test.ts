import type { KubeObject } from "@rollcall/api"
import { assert, describe, it } from "vitest"
import { type Cached, KindCache } from "../../src/core/watch/KindCache.ts"
import { ListPieces } from "../../src/http/call/ListStream.ts"

const node = (number: number): KubeObject => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: `n-${number}`, annotations: { note: number % 3 === 0 ? "größer 🙂" : "x".repeat(number % 50) } }
})

/** A list of so many nodes in pieces, and which of them have been made so far. */
const listOf = (count: number) => {
  const objects = Array.from({ length: count }, (_, number) => node(number))
  const head = { kind: "NodeList", apiVersion: "v1", metadata: { resourceVersion: "7" } }
  const made: Array<KubeObject> = []
  const textOf = (object: KubeObject) => {
    made.push(object)
    return JSON.stringify(object)
  }
  const pieces = new ListPieces({ head, field: "items", objects, textOf })
  return { made, pieces, whole: `${JSON.stringify({ ...head, items: objects })}\n` }
}

describe("a list as JSON", () => {
  for (const count of [0, 1, 63, 1000]) {
    for (const bytes of [1, 100, 5000, 1e9]) {
      it(`is the same text for ${count} objects, in chunks of ${bytes} characters`, () => {
        const { pieces, whole } = listOf(count)
        const parts: Array<Buffer | string> = []
        while (!pieces.isDone) parts.push(pieces.take(bytes))
        assert.strictEqual(parts.join(""), whole)
        assert.strictEqual(pieces.take(bytes), "")
      })
    }
  }

  it("of custom resources is a map of Go, whose keys are sorted", () => {
    const tail = { kind: "DialList", metadata: { resourceVersion: "7" } }
    for (const count of [0, 2]) {
      const objects = Array.from({ length: count }, (_, number) => node(number))
      const apiVersion = "example.com/v1"
      const pieces = new ListPieces({ head: { apiVersion }, field: "items", objects, textOf: JSON.stringify, tail })
      assert.strictEqual(pieces.take(1e9), `${JSON.stringify({ apiVersion, items: objects, ...tail })}\n`)
    }
  })

  it("is encoded only as it is read, and estimates how much is left", () => {
    const { made, pieces, whole } = listOf(1000)
    const first = pieces.take(1000)
    assert.isBelow(made.length, 20)
    assert.approximately(first.length + pieces.left, whole.length, whole.length / 3)
    while (!pieces.isDone) pieces.take(1000)
    assert.deepStrictEqual([made.length, pieces.left], [1000, 0])
  })

  /** What a list of all objects of a cache is sent as, in how many pieces, and which objects were encoded for it. */
  const listKept = (cache: KindCache) => {
    const objects: Array<KubeObject> = []
    cache.visit(undefined, (object) => objects.push(object))
    const made: Array<string | undefined> = []
    const textOf = (object: KubeObject) => {
      made.push(object.metadata.name)
      return JSON.stringify(object)
    }
    const pieces = new ListPieces({ head: { kind: "NodeList" }, field: "items", objects, textOf, isKept: true })
    const sent: Array<string> = []
    while (!pieces.isDone) sent.push(pieces.take(2000).toString())
    assert.strictEqual(sent.join(""), `${JSON.stringify({ kind: "NodeList", items: objects })}\n`)
    return { made, count: sent.length }
  }

  it("keeps the bytes of objects until they change", () => {
    const cache = new KindCache("/nodes/", false, undefined, () => {})
    assert.deepStrictEqual(listKept(cache), { made: [], count: 1 })
    const all = Array.from({ length: 500 }, (_, number) => cache.add("", `n-${number}`, node(number), number))
    assert.lengthOf(listKept(cache).made, 500)
    const { count, made } = listKept(cache)
    assert.lengthOf(made, 0)
    const changed = node(70)
    cache.update(all[70] as Cached, { ...changed, metadata: { ...changed.metadata, labels: { zone: "größer" } } }, 501)
    cache.remove(all[444] as Cached)
    cache.add("", "n-4440", node(4440), 502)
    assert.deepStrictEqual(listKept(cache), { made: ["n-4440", "n-70"], count })
    for (const [number, cached] of all.entries()) if (number % 5 > 0) cache.remove(cached)
    assert.lengthOf(listKept(cache).made, 0)
    assert.isBelow(listKept(cache).count, count / 3)
  })

  it("takes the bytes of a selected object from among those of others, and of others later", () => {
    const cache = new KindCache("/nodes/", false, undefined, () => {})
    const objects = Array.from(
      { length: 200 },
      (_, number) => cache.add("", `n-${number}`, node(number), number).object
    )
    listKept(cache)
    const selected = objects.filter((_, number) => number % 7 === 3)
    const textOf = () => assert.fail("encoded again")
    const pieces = new ListPieces({ head: {}, field: "items", objects: selected, textOf, isKept: true })
    assert.strictEqual(
      pieces.take(1e9).toString(),
      `{,"items":[${selected.map((each) => JSON.stringify(each)).join()}]}\n`
    )
    assert.lengthOf(listKept(cache).made, 0)
  })
})
