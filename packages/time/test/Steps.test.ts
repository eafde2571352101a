import { assert, describe, it } from "@effect/vitest"
import { awaitSteps, lazily, runAllSteps } from "../src/index.ts"

describe("steps that load a module", () => {
  it("load it once, and have it at once from then on", async () => {
    let loads = 0
    const load = lazily(async () => ++loads)
    assert.throws(() => runAllSteps(load()), "cannot be done in one piece")
    assert.strictEqual(await awaitSteps(load()), 2)
    assert.strictEqual(runAllSteps(load()), 2)
  })

  it("fail with its error, and load again", async () => {
    let loads = 0
    const load = lazily(async () => {
      if (++loads === 1) throw new Error("no module")
      return loads
    })
    const failure = await awaitSteps(load()).then(
      () => "none",
      (error: Error) => error.message
    )
    assert.deepStrictEqual([failure, await awaitSteps(load())], ["no module", 2])
  })
})
