import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import { randomSpec } from "./randomScenario.ts"
import { run } from "./run.ts"

describe("whatever happens in a scenario", () => {
  it("comes out the same each time, and keeps the model's promises", { timeout: 120_000 }, () => {
    fc.assert(
      fc.property(randomSpec, (spec) => {
        const [once, again] = [run(spec), run(spec)]
        assert.strictEqual(again.summary.traceDigest, once.summary.traceDigest)
        assert.deepStrictEqual(again.events, once.events)
        assert.deepStrictEqual(once.bugs ?? [], [])
        assert.strictEqual(again.summary.events, once.summary.events)
      }),
      { numRuns: 40 }
    )
  })
})
