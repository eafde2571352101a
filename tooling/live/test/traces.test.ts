import { assert, describe, it } from "vitest"
import { outcomeOf } from "../src/traces/playTraces.ts"

describe("recordings that are run live", () => {
  it("distinguishes recordings that differed once and agreed once from the others", () => {
    const outcome = outcomeOf([
      { name: "01-a", agreements: [true] },
      { name: "02-b", agreements: [false, true] },
      { name: "03-c", agreements: [false, false] }
    ])
    assert.deepStrictEqual([outcome.varying, outcome.differ], [["02-b"], ["03-c"]])
    assert.strictEqual(
      outcome.summary,
      "1 of 3 recordings agree, 1 differed once and agreed once: 02-b, 1 differ: 03-c"
    )
  })

  it("reports no recording if all agree", () => {
    const { differ, summary, varying } = outcomeOf([{ name: "01-a", agreements: [true] }])
    assert.deepStrictEqual([...differ, ...varying], [])
    assert.strictEqual(summary, "1 of 1 recordings agree, 0 differed once and agreed once, 0 differ")
  })
})
