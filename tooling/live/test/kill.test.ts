import { assert, describe, it } from "@effect/vitest"
import { layerWallClock } from "@rollcall/time"
import * as Effect from "effect/Effect"
import { killRounds } from "../src/kill/rounds.ts"

const ROUNDS = 8

describe("kill -9 of the API server", () => {
  it.live(
    "loses no acknowledged write, uses no revision twice, and lets watches resume",
    () =>
      Effect.gen(function* () {
        const { acknowledged, startMs, watchEvents } = yield* killRounds(ROUNDS)
        assert.strictEqual(startMs.length, ROUNDS)
        assert.isAbove(acknowledged, 0)
        assert.isAbove(watchEvents, 0)
      }).pipe(Effect.provide(layerWallClock())),
    120_000
  )
})
