import { assert, describe, it } from "@effect/vitest"
import type { ResourceClaim } from "@rollcall/api"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type { DriverDone } from "../dra/DeviceDriver.ts"
import { DeviceDrivers } from "../dra/DeviceDrivers.ts"

/** What the drivers under test have: one of this name on this node, for this claim. */
export interface DeviceDriversContractOptions {
  readonly node: string
  readonly driver: string
  readonly claim: ResourceClaim
}

/**
 * Tests drivers of devices: each call is answered once, and a call that is repeated succeeds again. `layer` is built for each
 * test; `settle` waits until all that was asked for is done.
 */
export const deviceDriversContract = (
  name: string,
  layer: Layer.Layer<DeviceDrivers>,
  { claim, driver, node }: DeviceDriversContractOptions,
  settle: Effect.Effect<void> = Effect.void
): void => {
  const answersOf = (calls: (done: DriverDone) => ReadonlyArray<() => void>) =>
    Effect.gen(function* () {
      const answers: Array<string> = []
      for (const call of calls((problem) => void answers.push(problem ?? "done"))) {
        call()
        yield* settle
      }
      return answers
    })
  describe(`DeviceDrivers: ${name}`, () => {
    it.effect("answer each call once, also those that are repeated", () =>
      Effect.gen(function* () {
        const found = (yield* DeviceDrivers).of(node, driver)
        const answers = yield* answersOf((done) => [
          () => found?.prepare(claim, done),
          () => found?.prepare(claim, done),
          () => found?.unprepare(claim, done),
          () => found?.unprepare(claim, done)
        ])
        assert.deepStrictEqual(answers, ["done", "done", "done", "done"])
      }).pipe(Effect.provide(layer))
    )

    it.effect("unprepare a claim that was never prepared", () =>
      Effect.gen(function* () {
        const found = (yield* DeviceDrivers).of(node, driver)
        assert.deepStrictEqual(yield* answersOf((done) => [() => found?.unprepare(claim, done)]), ["done"])
      }).pipe(Effect.provide(layer))
    )
  })
}
