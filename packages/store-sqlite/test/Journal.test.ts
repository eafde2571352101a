import { spawnSync } from "node:child_process"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { type Journal, startJournal, startThread } from "../src/Journal.ts"

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

  it.live("uses the thread that was started before, once", () =>
    Effect.gen(function* () {
      startThread()
      const answers: Array<string> = []
      const first = startJournal()
      const second = startJournal()
      const open = (journal: Journal, name: string) =>
        Effect.callback<void>((resume) =>
          journal.ask("sweep", undefined, (answer) => {
            answers.push(`${name}: ${answer.ok ? "ok" : answer.message}`)
            resume(Effect.void)
          })
        )
      yield* Effect.promise(first.stop)
      yield* Effect.all([open(first, "first"), open(second, "second")], { concurrency: 1 })
      yield* Effect.promise(second.stop)
      assert.deepStrictEqual(answers, ["first: the store is closed", "second: the file is not open"])
    })
  )

  it("does not keep the process alive before its first call", () => {
    const module = JSON.stringify(new URL("../src/thread.ts", import.meta.url).href)
    const script = `const { startThread } = await import(${module}); startThread()`
    const { status } = spawnSync(process.execPath, ["--input-type=module", "--eval", script], { timeout: 30_000 })
    assert.strictEqual(status, 0)
  })
})
