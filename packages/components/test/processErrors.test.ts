import { EventEmitter } from "node:events"
import * as Effect from "effect/Effect"
import { assert, describe, it } from "vitest"
import { connectionsOf, openFileLimit } from "../src/apiserver/openFiles.ts"
import { surviveErrors } from "../src/apiserver/processErrors.ts"

describe("a server's process", () => {
  it("survives uncaught errors, except a hundred within a minute, until its scope closes", () => {
    const handled: Array<unknown> = []
    const exits: Array<number> = []
    const source = Object.assign(new EventEmitter(), { exit: (code: number) => exits.push(code) })
    let now = 0
    const error = new Error("unforeseen")
    const program = Effect.gen(function* () {
      yield* surviveErrors(
        (where, thrown) => handled.push([where, thrown]),
        () => now,
        source
      )
      source.emit("uncaughtException", error)
      source.emit("unhandledRejection", error)
      assert.deepStrictEqual(handled, [
        ["process", error],
        ["process", error]
      ])
      for (let count = 0; count < 500; count++) {
        now += 1000
        source.emit("uncaughtException", error)
      }
      assert.deepStrictEqual(exits, [])
      for (let count = 0; count < 100; count++) source.emit("uncaughtException", error)
      assert.strictEqual(exits[0], 1)
    })
    Effect.runSync(Effect.scoped(program))
    assert.strictEqual(source.listenerCount("uncaughtException") + source.listenerCount("unhandledRejection"), 0)
  })

  it("accepts half as many connections as it may open files", () => {
    assert.strictEqual(connectionsOf(256), 128)
    assert.strictEqual(connectionsOf(10), 16)
    assert.strictEqual(connectionsOf(1_048_576), 16_384)
    assert.isAbove(openFileLimit(), 0)
  })
})
