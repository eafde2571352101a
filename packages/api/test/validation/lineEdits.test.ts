import { assert, describe, it } from "@effect/vitest"
import { lineEdits } from "../../src/validation/lineEdits.ts"

const shown = (from: string, to: string): string =>
  lineEdits(from.split(" "), to.split(" "))
    .map(([mark, line]) => `${mark}${line}`)
    .join(" ")
    .replaceAll("  ", " ")
    .trim()

describe("the edits between lists of lines", () => {
  it("keep the longest run, then the first of equally long ones", () => {
    // A shortest edit could keep `}` as well as `y`.
    assert.strictEqual(shown("{ x y h p } r s t", "{ g q } y h0 r s t"), "{ -x +g +q +} y -h -p -} +h0 r s t")
    assert.strictEqual(shown("a b c d", "b c d a b"), "-a b c d +a +b")
  })

  it("keep a line that occurs too often only beside another", () => {
    const often = Array.from({ length: 200 }, (_, index) => (index % 2 === 0 ? "}" : `l${index}`))
    const edits = lineEdits(["}", "l1"], often)
    assert.deepStrictEqual(
      edits.filter(([mark]) => mark === " "),
      [
        [" ", "}"],
        [" ", "l1"]
      ]
    )
    assert.isEmpty(lineEdits(["new", "}"], often).filter(([mark]) => mark === " "))
  })

  it("keep the ends alone of long lists", () => {
    const lines = (middle: string) => ["a", ...Array.from({ length: 1200 }, (_, index) => `${middle}${index}`), "z"]
    const edits = lineEdits(lines("x"), lines("y"))
    assert.lengthOf(edits, 2402)
    assert.deepStrictEqual(
      [edits[0], edits.at(-1)],
      [
        [" ", "a"],
        [" ", "z"]
      ]
    )
  })
})
