import { assert, describe, it } from "@effect/vitest"
import { makeVirtualTime } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import { type ClusterError, type ConflictBackoff, defaultBackoff, defaultRetry, retryOnConflict } from "../src/index.ts"
import { refusal } from "../src/testing/index.ts"

const conflictError = refusal(409, "Conflict")

/** When each attempt ran, and what came of them all. */
const attempts = (backoff: ConflictBackoff, answers: ReadonlyArray<ClusterError | undefined>, seed = "retry") => {
  const time = makeVirtualTime(0)
  const startsMs: Array<number> = []
  const counts: Array<number> = []
  let result = "runs"
  const attempt = (before: number) =>
    Effect.suspend(() => {
      counts.push(before)
      startsMs.push(time.timers.now())
      const answer = before < answers.length ? answers[before] : conflictError
      return answer === undefined ? Effect.succeed("written") : Effect.fail(answer)
    })
  time.fork(
    retryOnConflict(backoff, attempt).pipe(
      Effect.match({
        onFailure: (error) => {
          result = error._tag === "ApiError" ? error.reason : error._tag
        },
        onSuccess: (text) => {
          result = text
        }
      }),
      Random.withSeed(seed)
    )
  )
  time.runUntil(60_000)
  const pausesMs = startsMs.slice(1).map((startMs, index) => startMs - (startsMs[index] ?? 0))
  return { counts, pausesMs, result }
}

const withoutJitter = (backoff: ConflictBackoff): ConflictBackoff => ({ ...backoff, jitter: 0 })

describe("a write that is retried on a conflict", () => {
  it("is attempted as often as client-go does, with its pauses, and fails with the last conflict", () => {
    assert.deepStrictEqual(attempts(withoutJitter(defaultRetry), []), {
      counts: [0, 1, 2, 3, 4],
      pausesMs: [10, 10, 10, 10],
      result: "Conflict"
    })
    assert.deepStrictEqual(attempts(withoutJitter(defaultBackoff), []), {
      counts: [0, 1, 2, 3],
      pausesMs: [10, 50, 250],
      result: "Conflict"
    })
  })

  it("ends with the first response that is not a conflict", () => {
    assert.deepStrictEqual(attempts(defaultRetry, [undefined]).counts, [0])
    const second = attempts(defaultRetry, [conflictError, undefined])
    assert.deepStrictEqual([second.counts, second.result], [[0, 1], "written"])
    const refused = attempts(defaultRetry, [conflictError, refusal(404, "NotFound")])
    assert.deepStrictEqual([refused.counts, refused.result], [[0, 1], "NotFound"])
  })

  it("pauses longer by a random part, up to the jitter", () => {
    const backoff: ConflictBackoff = { steps: 40, durationMs: 1000, factor: 1, jitter: 1 }
    const { pausesMs } = attempts(backoff, [])
    assert.isTrue(pausesMs.every((ms) => ms >= 1000 && ms <= 2000))
    assert.isAbove(new Set(pausesMs).size, 20)
    assert.deepStrictEqual(attempts(backoff, []).pausesMs, pausesMs)
    assert.notDeepEqual(attempts(backoff, [], "another").pausesMs, pausesMs)
  })
})
