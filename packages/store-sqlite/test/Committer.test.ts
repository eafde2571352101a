import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { Committer } from "../src/Committer.ts"
import { CurrentState } from "../src/internal/CurrentState.ts"
import type { Answer } from "../src/internal/calls.ts"
import type { Journal } from "../src/Journal.ts"

const MIB = 1024 * 1024
const turn = Effect.sleep("5 millis")

/** A committer on a disk that answers when it is told to, and the answers to writes of so many characters. */
const makeCommitter = () => {
  const owed: Array<(answer: Answer<never>) => void> = []
  const journal: Journal = {
    ask: (_name, _input, reply) => void owed.push(reply as (answer: Answer<unknown>) => void),
    stop: () => Promise.resolve()
  }
  let revision = 0
  const committer = new Committer({
    file: "file",
    journal,
    state: new CurrentState({ revision: 0, sequence: 0, compacted: 0 }),
    newest: () => revision,
    committed: (changes) => {
      revision += changes.length
    }
  })
  const answers: Array<string> = []
  let keys = 0
  const write = (size: number) =>
    committer.write([{ type: "put", key: `k-${keys++}`, value: "x".repeat(size - 2) }], (result) =>
      answers.push(Result.isSuccess(result) ? "written" : String(result.failure.message))
    )
  const goOn = () => owed.shift()?.({ ok: true, value: undefined as never })
  return { answers, committer, goOn, owed, write }
}

describe("writes that wait for a slow disk", () => {
  it.live("are limited by their size, and continue when the disk responds", () =>
    Effect.gen(function* () {
      const { answers, goOn, owed, write } = makeCommitter()
      write(MIB)
      yield* turn
      assert.strictEqual(owed.length, 1)
      for (let count = 0; count < 80; count++) write(MIB)
      assert.deepStrictEqual(
        answers,
        Array.from({ length: 16 }, () => `writes of ${64 * MIB} characters are waiting already`)
      )
      while (owed.length > 0) {
        goOn()
        yield* turn
      }
      assert.strictEqual(answers.filter((answer) => answer === "written").length, 65)
      answers.length = 0
      write(MIB)
      yield* turn
      goOn()
      assert.deepStrictEqual(answers, ["written"])
    })
  )

  it.live("may include one that is larger than the limit of all", () =>
    Effect.gen(function* () {
      const { answers, goOn, write } = makeCommitter()
      write(65 * MIB)
      yield* turn
      goOn()
      assert.deepStrictEqual(answers, ["written"])
    })
  )
})

describe("an answered write", () => {
  it.live("has the JSON that was written, by operation", () =>
    Effect.gen(function* () {
      const { committer, goOn } = makeCommitter()
      const told: Array<unknown> = []
      const batch = [
        { type: "put", key: "a", value: { name: "a" } },
        { type: "delete", key: "b" }
      ] as const
      committer.write(batch, (_, texts) => told.push(texts))
      committer.write([{ type: "put", key: "a", value: 1, expect: 7 }], (_, texts) => told.push(texts))
      yield* turn
      goOn()
      assert.deepStrictEqual(told, [['{"name":"a"}', null], undefined])
    })
  )
})
