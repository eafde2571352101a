import { assert, describe, it } from "@effect/vitest"
import { resolvePlain } from "../src/scalars.ts"

describe("large integers", () => {
  it.each([
    ["0x20000000000001", 9007199254740993n],
    ["-0b11", -3],
    ["9223372036854775808", 2 ** 63],
    ["9_007_199_254_740_993", 9007199254740993n]
  ])("reads %s in YAML", (text, value) => assert.strictEqual(resolvePlain(text), value))
})
