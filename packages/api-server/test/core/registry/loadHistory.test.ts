import type { KubeObject } from "@rollcall/api"
import type { Change, Entry } from "@rollcall/store"
import { assert, describe, it } from "vitest"
import { occurrenceOf, sharedObjects } from "../../../src/core/registry/loadHistory.ts"

const KEY = "/registry/minions/a"

/** A store that parses each row anew, as one in a file does. */
const rowsOf = () => {
  const parsed: Array<number> = []
  const entry = (modRevision: number): Entry => ({
    key: KEY,
    get value() {
      parsed.push(modRevision)
      return { kind: "Node", metadata: { name: "a", resourceVersion: String(modRevision) } }
    },
    createRevision: 1,
    modRevision
  })
  const changes: ReadonlyArray<Change> = [
    { type: "put", entry: entry(1), previous: undefined },
    { type: "put", entry: entry(2), previous: entry(1) },
    { type: "put", entry: entry(3), previous: entry(2) },
    { type: "delete", key: KEY, revision: 4, previous: entry(3) },
    { type: "put", entry: entry(5), previous: undefined }
  ]
  return { changes, parsed }
}

describe("the history that a server loads", () => {
  it("parses each state of an object once, and the newest not at all, since it is in the cache", () => {
    const { changes, parsed } = rowsOf()
    const newest = { kind: "Node", metadata: { name: "a", resourceVersion: "5" } } as KubeObject
    const objectOf = sharedObjects((key) => (key === KEY ? { object: newest, revision: 5 } : undefined))
    const [added, changed, again, deleted, recreated] = changes.map((change) => occurrenceOf(change, objectOf))
    assert.deepStrictEqual(parsed, [1, 2, 3])
    assert.strictEqual(changed?.previous, added?.event.object)
    assert.strictEqual(again?.previous, changed?.event.object)
    assert.strictEqual(deleted?.previous, again?.event.object)
    assert.strictEqual(recreated?.event.object, newest)
    assert.deepStrictEqual(
      [added, changed, again, deleted, recreated].map((occurrence) => [
        occurrence?.event.type,
        occurrence?.event.object.metadata.resourceVersion
      ]),
      [
        ["ADDED", "1"],
        ["MODIFIED", "2"],
        ["MODIFIED", "3"],
        ["DELETED", "4"],
        ["ADDED", "5"]
      ]
    )
  })

  it("does not take another state from the cache", () => {
    const { changes, parsed } = rowsOf()
    const newer = { kind: "Node", metadata: { name: "a", resourceVersion: "9" } } as KubeObject
    const objectOf = sharedObjects(() => ({ object: newer, revision: 9 }))
    const objects = changes.map((change) => occurrenceOf(change, objectOf).event.object)
    assert.deepStrictEqual(parsed, [1, 2, 3, 5])
    assert.notInclude(objects, newer)
  })
})
