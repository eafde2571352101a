import { assert, describe, it } from "vitest"
import { gapAdvice } from "../src/snapshot/gaps.ts"

describe("the advice about gaps", () => {
  const missing = { kind: "Lease", message: "the snapshot has no Lease" }
  const everywhere = { kind: "Job", message: "the snapshot does not say", isInEverySnapshot: true } as const

  it("is given if another snapshot helps", () => {
    assert.deepStrictEqual(gapAdvice([]), [])
    assert.deepStrictEqual(gapAdvice([everywhere]), [])
    assert.strictEqual(gapAdvice([everywhere, missing]).length, 1)
  })
})
