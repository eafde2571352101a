import * as Effect from "effect/Effect"
import { assert, describe, it } from "vitest"
import { runToEnd, simulate } from "../src/index.ts"
import { planOf, run } from "./run.ts"

const spec = {
  duration: "3m",
  cluster: { nodes: [{ name: "a", count: 2, zone: "zone-a" }] },
  events: [{ at: "1m", fault: "partition", nodes: { names: ["a-0"] } }]
}

/** Each slice ends at once, so the run advances by its smallest stride. */
const SLICE_MS = 0

describe("a run in slices", () => {
  it("gives the same result as an unbroken run, and pauses after each slice", async () => {
    const elapsed: Array<number> = []
    const digest = await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const simulation = yield* simulate(planOf(spec))
          const look = Effect.sync(() => void elapsed.push(simulation.elapsedMs()))
          yield* runToEnd({ ...simulation, runWhile: () => simulation.runWhile(once()) }, look, SLICE_MS)
          assert.isTrue(simulation.isOver())
          return simulation.result(0).summary.traceDigest
        })
      )
    )
    assert.strictEqual(digest, run(spec).summary.traceDigest)
    assert.deepStrictEqual(
      elapsed,
      Array.from({ length: 180 }, (_, index) => (index + 1) * 1000)
    )
  })

  it("stops when the caller fails", async () => {
    const error = await Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const simulation = yield* simulate(planOf(spec))
          const once = { ...simulation, runWhile: () => simulation.runWhile(() => false) }
          return yield* Effect.flip(runToEnd(once, Effect.fail("the reader is gone")))
        })
      )
    )
    assert.strictEqual(error, "the reader is gone")
  })
})

/** Returns true once. */
const once = (): (() => boolean) => {
  let left = 1
  return () => left-- > 0
}
