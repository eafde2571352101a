import { assert, describe, it } from "vitest"
import { inAscii } from "../src/inAscii.mjs"

describe("a program in ASCII", () => {
  it("finds the same letters", () => {
    const program = '[..."µμ é \u{1f600}"].filter((letter) => /[µμ]|\u{1f600}/u.test(letter)).join("")'
    const ascii = inAscii(program)
    assert.match(ascii, /^[ -~]*$/)
    assert.strictEqual(new Function(`return ${ascii}`)(), "µμ\u{1f600}")
  })

  it("keeps letters after a backslash, which a code would not stand for", () => {
    assert.strictEqual(inAscii("/\\µ/"), "/\\µ/")
  })
})
