import { assert, describe, it } from "vitest"
import { HeldOutputs } from "../../src/server/HeldOutputs.ts"

describe("the outputs of commands that are answered at their end", () => {
  it("are bounded each, and together: then each has a small one all the same", () => {
    const outputs = new HeldOutputs({ each: 100, together: 250, small: 10 })
    const held = Array.from({ length: 20 }, () => outputs.hold())
    for (const output of held) for (let part = 0; part < 50; part++) output.write(part % 2 === 0 ? 1 : 2, "12345")
    assert.strictEqual(outputs.heldCharacters, 250 + 17 * 10)
    const [first, , , small] = held.map(({ take }) => take())
    assert.deepStrictEqual([first?.[1].length, first?.[2].length], [50, 50])
    assert.deepStrictEqual(small, { 1: "12345", 2: "12345" })
    assert.strictEqual(outputs.heldCharacters, 0)
    assert.deepStrictEqual(held[0]?.take(), { 1: "", 2: "" })
  })
})
