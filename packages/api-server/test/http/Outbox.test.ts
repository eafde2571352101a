import { it } from "@effect/vitest"
import { layerWallClock, Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import { assert, describe } from "vitest"
import { Outbox, type Sender } from "../../src/http/Outbox.ts"

const settle = Effect.sleep("60 millis")

describe("what watches have to send", () => {
  it.live("goes out once for each that has something, in their order, and again when there is more", () =>
    Effect.gen(function* () {
      const outbox = new Outbox(yield* Timers)
      const sent: Array<string> = []
      const sender = (name: string): Sender => ({ flush: () => sent.push(name) })
      outbox.add(sender("a"))
      outbox.add(sender("b"))
      assert.deepStrictEqual(sent, [])
      yield* settle
      assert.deepStrictEqual(sent, ["a", "b"])
      outbox.add(sender("c"))
      yield* settle
      assert.deepStrictEqual(sent, ["a", "b", "c"])
    }).pipe(Effect.provide(layerWallClock()))
  )

  it.live("is not lost when it comes while others are being sent", () =>
    Effect.gen(function* () {
      const outbox = new Outbox(yield* Timers)
      const sent: Array<string> = []
      const second: Sender = { flush: () => sent.push("second") }
      const first: Sender = {
        flush: () => {
          sent.push("first")
          outbox.add(second)
        }
      }
      outbox.add(first)
      yield* settle
      assert.deepStrictEqual(sent, ["first", "second"])
    }).pipe(Effect.provide(layerWallClock()))
  )
})
