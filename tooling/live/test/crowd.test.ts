import { assert, describe, it } from "@effect/vitest"
import { layerWallClock } from "@rollcall/time"
import * as Effect from "effect/Effect"
import { crowd } from "../src/crowd/crowd.ts"

const unexpectedAnswers = (answers: Readonly<Record<string, number>>) =>
  Object.keys(answers).filter((answer) => !/^(2\d\d|409 (Conflict|AlreadyExists)|429 TooManyRequests)$/.test(answer))

describe.concurrent("many clients that write at once", () => {
  it.live(
    "get 2xx, or 409 if two write the same object",
    () =>
      Effect.gen(function* () {
        const { answers } = yield* crowd(150, 6)
        assert.deepStrictEqual(unexpectedAnswers(answers), [])
        assert.isAtLeast(answers["201"] ?? 0, 150)
      }).pipe(Effect.provide(layerWallClock())),
    60_000
  )

  it.live(
    "get 429 with Retry-After from a server with a low limit of concurrent writes",
    () =>
      Effect.gen(function* () {
        const { answers } = yield* crowd(60, 4, [
          "--enable-priority-and-fairness=false",
          "--max-mutating-requests-inflight=2"
        ])
        assert.deepStrictEqual(unexpectedAnswers(answers), [])
        assert.isAbove(answers["429 TooManyRequests"] ?? 0, 0)
        assert.isAtLeast(answers["201"] ?? 0, 1)
      }).pipe(Effect.provide(layerWallClock())),
    60_000
  )
})
