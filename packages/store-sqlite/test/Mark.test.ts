import { assert, describe, it } from "@effect/vitest"
import { decodeSlots, encodeSlot, type Mark, markAfter, SLOT_BYTES } from "../src/internal/Mark.ts"

const mark: Mark = { identity: "a".repeat(32), revision: 3, sequence: 5, keys: 2, live: 9 }

describe("Mark", () => {
  it("follows the appended rows", () => {
    // Row 6 puts a new key, 7 supersedes row 4, 8 deletes what row 5 has.
    const rows = {
      sequences: [6, 7, 8],
      revisions: [4, 5, 5],
      created: [4, 1, 1],
      previous: [0, 4, 5],
      keys: ["/c", "/a", "/b"],
      values: ["1", "2", null]
    }
    assert.deepStrictEqual(markAfter(mark, rows), { ...mark, revision: 5, sequence: 8, keys: 2, live: 6 + 7 })
  })

  it("is read from the newer of two slots, and from the older one when that is torn", () => {
    const newer = { ...mark, revision: 4 }
    const [older, newest] = [encodeSlot(mark, 8), encodeSlot(newer, 9)]
    assert.strictEqual(Buffer.byteLength(newest), SLOT_BYTES)
    assert.deepStrictEqual(decodeSlots(newest + older), { mark: newer, writes: 9 })
    for (let cut = 0; cut < newest.trimEnd().length; cut++) {
      const torn = newest.slice(0, cut) + older.slice(cut)
      assert.deepStrictEqual(decodeSlots(torn + older), { mark, writes: 8 })
    }
    assert.isUndefined(decodeSlots(""))
    assert.isUndefined(decodeSlots("\0".repeat(2 * SLOT_BYTES)))
  })
})
