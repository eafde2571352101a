import { gunzipSync } from "node:zlib"
import { assert, describe, it } from "vitest"
import { GzipPieces } from "../../src/http/call/GzipPieces.ts"

const compressed = async (pieces: ReadonlyArray<Buffer | string>): Promise<Buffer> => {
  const gzip = new GzipPieces()
  const parts: Array<Buffer> = []
  for (const [at, piece] of pieces.entries()) {
    const isLast = at === pieces.length - 1
    await new Promise<void>((resolve, reject) =>
      gzip.add(piece, isLast, (error, part) => {
        parts.push(part)
        if (error === null) resolve()
        else reject(error)
      })
    )
  }
  return Buffer.concat(parts)
}

const text = (length: number, seed: number): string =>
  Array.from({ length }, (_, at) => ((at * at * seed) % 97).toString(36)).join()

describe("a body that is compressed in pieces", () => {
  it.each([
    ["one piece", [text(3000, 1)]],
    ["an empty piece", [text(10, 1), "", text(10, 2)]],
    ["nothing", [""]],
    ["texts of more than ASCII", ["ä€", Buffer.from(text(50_000, 3)), "\u{1f600}"]],
    ["more than a window of the same", [Buffer.alloc(100_000, "a"), Buffer.alloc(100_000, "a"), "a"]]
  ])("is gzip: %s", async (_, pieces) => {
    const whole = Buffer.concat(pieces.map((piece) => Buffer.from(piece)))
    assert.isTrue(gunzipSync(await compressed(pieces)).equals(whole))
  })

  it("compresses a piece once for all bodies, in whatever place", async () => {
    const piece = Buffer.from(text(20_000, 5))
    await compressed(["a", piece])
    for (const pieces of [[piece], ["other", piece, "end"], [piece, piece]]) {
      const whole = Buffer.concat(pieces.map((each) => Buffer.from(each)))
      assert.isTrue(gunzipSync(await compressed(pieces)).equals(whole))
    }
    let isKnown = false
    new GzipPieces().add(piece, true, () => {
      isKnown = true
    })
    assert.isTrue(isKnown)
  })
})
