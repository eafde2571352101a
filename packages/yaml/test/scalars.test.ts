import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { resolvePlain } from "../src/scalars.ts"

describe("large numbers", () => {
  it.each([
    ["0x20000000000001", 9007199254740993n],
    ["-0b11", -3],
    ["9223372036854775808", 2 ** 63],
    ["9_007_199_254_740_993", 9007199254740993n],
    ["-1e308", -1e308],
    ["1e400", "1e400"],
    ["1e-400", 0]
  ])("reads %s in YAML", (text, value) => assert.strictEqual(resolvePlain(text), value))
})

/** What goyaml.v2 makes of plain scalars that nearly are numbers. */
describe("numbers with underscores, signs and prefixes", () => {
  it.each<[string, string | number]>([
    ["0_", 0],
    ["-0_", 0],
    ["+_1", 1],
    ["-_01", -1],
    ["0_7", 7],
    ["0B1", 1],
    ["0X_f", 15],
    ["-0O7", -7],
    ["0b-1", -1],
    ["089", 89],
    ["+_.1", 0.1],
    [".0_1", 0.01],
    ["1_.5_e1", 15],
    ["0x_", "0x_"],
    ["0b_", "0b_"],
    ["+0o_", "+0o_"],
    ["0o8", "0o8"],
    ["-0b-1", "-0b-1"],
    ["._1", "._1"],
    [".1_", ".1_"],
    [".", "."],
    ["-", "-"],
    ["1e", "1e"],
    ["0x1ffffffffffffffff", "0x1ffffffffffffffff"],
    ["+0xffffffffffffffff", "+0xffffffffffffffff"],
    ["0xffffffffffffffff", 2 ** 64],
    ["18446744073709551616", 2 ** 64]
  ])("reads %s in YAML", (text, value) => assert.strictEqual(resolvePlain(text), value))

  it("reads any text", () => {
    const unit = fc.constantFrom(..."+-._0123456789abcdefxXoOBEin~".split(""))
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 80 }), (text) => {
        const value = resolvePlain(text)
        if (typeof value === "string") assert.strictEqual(value, text)
      }),
      { numRuns: 5000 }
    )
  })
})
