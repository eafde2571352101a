import { assert, describe, it } from "vitest"
import { isWorthwhile } from "../src/apiserver/returnMemory.ts"

const MIB = 1024 * 1024

describe("what a burst has left", () => {
  it("is given back from 32 MiB on, and from half of what is in use", () => {
    assert.isFalse(isWorthwhile(40 * MIB, 8 * MIB))
    assert.isTrue(isWorthwhile(40 * MIB + 1, 8 * MIB))
    assert.isFalse(isWorthwhile(300 * MIB, 200 * MIB))
    assert.isTrue(isWorthwhile(300 * MIB + 1, 200 * MIB))
  })
})
