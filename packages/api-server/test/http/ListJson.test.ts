import type { KubeObject } from "@rollcall/api"
import { assert, describe, it } from "vitest"
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
        const parts: Array<string> = []
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
})
