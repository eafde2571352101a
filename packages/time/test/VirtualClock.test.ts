import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { byDefault, makeVirtualTime, Timers, VirtualClock } from "../src/index.ts"

class Greeting extends Context.Service<Greeting, { readonly text: string; readonly builtMs: number }>()(
  "test/Greeting"
) {}

describe("a layer inside virtual time", () => {
  it.effect("is built and closed at the times to which it sleeps", () =>
    Effect.gen(function* () {
      const closed: Array<number> = []
      const layer = Layer.effect(
        Greeting,
        Effect.gen(function* () {
          const timers = yield* Timers
          yield* Effect.sleep("1 minute")
          yield* Effect.addFinalizer(() =>
            Effect.sleep("1 second").pipe(Effect.andThen(Effect.sync(() => closed.push(timers.now()))))
          )
          return { text: "hello", builtMs: yield* Clock.currentTimeMillis }
        })
      )
      const { builtMs } = yield* Effect.scoped(
        Effect.map(Layer.build(layer.pipe(VirtualClock.inside, Layer.provide(VirtualClock.layer(1_000)))), (built) =>
          Context.get(built, Greeting)
        )
      )
      assert.strictEqual(builtMs, 61_000)
      assert.deepStrictEqual(closed, [62_000])
    })
  )

  it.effect("fails when the layer fails", () =>
    Effect.gen(function* () {
      const layer = Layer.effect(Greeting, Effect.fail("refused" as const))
      const error = yield* Effect.flip(
        Effect.scoped(Layer.build(layer.pipe(VirtualClock.inside, Layer.provide(VirtualClock.layer(0)))))
      )
      assert.strictEqual(error, "refused")
    })
  )
})

describe("settled", () => {
  it("ends after all that is due at its instant, and before time advances", () => {
    const time = makeVirtualTime(0)
    const seen: Array<string> = []
    const note = (what: string) => () => void seen.push(`${what} at ${time.timers.now()}`)
    time.timers.after(5, () => {
      time.timers.after(0, () => time.timers.soon(note("what follows")))
    })
    time.timers.after(6, note("later"))
    time.fork(Effect.sleep(5).pipe(Effect.andThen(time.settled), Effect.andThen(Effect.sync(note("settled")))))
    time.runUntil(10)
    assert.deepStrictEqual(seen, ["what follows at 5", "settled at 5", "later at 6"])
  })

  it("does not wait where no timer is planned", () => {
    const time = makeVirtualTime(0)
    assert.isTrue(time.run(time.settled)._tag === "Success")
  })
})

describe("errors of callbacks", () => {
  it("are passed to the handler that the holder of the time sets", () => {
    const time = makeVirtualTime(0)
    const sources: Array<string> = []
    const fail = () => {
      throw new Error("thrown")
    }
    time.timers.after(1, fail)
    assert.throws(() => time.runUntil(1), "thrown")
    time.setHandleError((source) => void sources.push(source))
    time.timers.after(1, fail)
    time.timers.after(1, () => time.timers.handleError("mine", new Error("handed on")))
    time.runUntil(10)
    assert.deepStrictEqual(sources, ["timer", "mine"])
  })
})

describe("a port's default", () => {
  const isBuilt: Array<string> = []
  const layerOf = (text: string) =>
    Layer.sync(Greeting, () => {
      isBuilt.push(text)
      return { text, builtMs: 0 }
    })
  const textOf = (layer: Layer.Layer<Greeting>) =>
    Effect.scoped(Effect.map(Layer.build(layer), (built) => Context.get(built, Greeting).text))

  it.effect("is built where the port is not provided, and only there", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* textOf(byDefault(Greeting, layerOf("default"))), "default")
      isBuilt.length = 0
      const replaced = byDefault(Greeting, layerOf("default")).pipe(Layer.provide(layerOf("own")))
      assert.strictEqual(yield* textOf(replaced), "own")
      assert.deepStrictEqual(isBuilt, ["own"])
    })
  )
})
