import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { startJournal } from "../src/Journal.ts"

describe("Journal", () => {
  it.live("answers in the order of the calls and not within one, even after its thread has ended", () =>
    Effect.gen(function* () {
      const journal = startJournal()
      const answers: Array<string> = []
      const ask = (label: string) =>
        Effect.callback<void>((resume) => {
          journal.ask("sweep", undefined, (answer) => {
            answers.push(`${label}: ${answer.ok ? "ok" : answer.message}`)
            resume(Effect.void)
          })
          answers.push(`${label} asked`)
        })
      yield* Effect.all([ask("first"), ask("second")], { concurrency: "unbounded" })
      yield* Effect.promise(journal.stop)
      yield* ask("late")
      assert.deepStrictEqual(answers, [
        "first asked",
        "second asked",
        "first: the file is not open",
        "second: the file is not open",
        "late asked",
        "late: the store is closed"
      ])
    })
  )
})
