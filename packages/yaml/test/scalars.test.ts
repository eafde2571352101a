import { assert, describe, it } from "@effect/vitest"
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
