import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { LineSplitter, LineTooLong } from "../src/http/LineSplitter.ts"

describe("LineSplitter", () => {
  it("returns the same lines for all divisions into chunks", () => {
    const line = fc.string({ unit: "grapheme", maxLength: 20 }).map((text) => text.replaceAll("\n", ""))
    fc.assert(
      fc.property(fc.array(line), line, fc.array(fc.nat(9), { minLength: 1 }), (lines, rest, cuts) => {
        const bytes = Buffer.from(lines.map((text) => `${text}\n`).join("") + rest)
        const splitter = new LineSplitter(1000)
        const seen: Array<string> = []
        let at = 0
        for (let turn = 0; at < bytes.length; turn++) {
          const length = (cuts[turn % cuts.length] ?? 0) + 1
          // A copy that is overwritten afterwards: nothing of a chunk may be held on to.
          const chunk = Uint8Array.from(bytes.subarray(at, at + length))
          seen.push(...splitter.push(chunk))
          chunk.fill(0)
          at += length
        }
        assert.deepStrictEqual(seen, lines)
        assert.strictEqual(splitter.unfinishedLength, Buffer.byteLength(rest))
      })
    )
  })

  it("limits the length of a line, in one chunk's rest or over many", () => {
    const splitter = new LineSplitter(10)
    assert.deepStrictEqual(splitter.push(Buffer.from("0123456789\n01234")), ["0123456789"])
    assert.deepStrictEqual(splitter.push(Buffer.from("56789")), [])
    assert.throws(() => splitter.push(Buffer.from("x")), LineTooLong)
  })
})
