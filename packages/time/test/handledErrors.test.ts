import { it } from "@effect/vitest"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Metric from "effect/Metric"
import * as TestClock from "effect/testing/TestClock"
import { assert, describe } from "vitest"
import { errorText, layerWallClock, loggedErrors, makeVirtualTime, Timers } from "../src/index.ts"

const throwsError = (what: string) => () => {
  throw new Error(what)
}

const countOf = (source: string) =>
  Effect.map(
    Metric.value(
      Metric.counter("rollcall_handled_errors_total", {
        description:
          "Unexpected errors that were thrown in a callback, a queue key or a pass of a loop, and that ended only that.",
        incremental: true
      }).pipe(Metric.withAttributes({ source }))
    ),
    ({ count }) => Number(count)
  )

class Foreseen extends Data.TaggedError("Foreseen")<{ readonly message: string }> {}

describe("errors of callbacks", () => {
  it("stop no other callback of virtual time, nor those queued at the same instant", () => {
    const errors: Array<unknown> = []
    const time = makeVirtualTime(0, { handleError: (source, error) => errors.push([source, String(error)]) })
    const { timers } = time
    const seen: Array<string> = []
    timers.after(10, () => {
      timers.soon(throwsError("soon"))
      timers.soon(() => seen.push(`after a soon that throws at ${timers.now()}`))
      throw new Error("timer")
    })
    timers.after(10, () => seen.push("same time"))
    timers.after(20, () => seen.push("later"))
    time.runUntil(30)
    assert.deepStrictEqual(seen, ["after a soon that throws at 10", "same time", "later"])
    assert.deepStrictEqual(errors, [
      ["timer", "Error: timer"],
      ["timer", "Error: soon"]
    ])
    assert.strictEqual(timers.now(), 30)
  })

  it("are thrown from virtual time without a handler, and the next call runs the rest", () => {
    const time = makeVirtualTime(0)
    const seen: Array<string> = []
    time.timers.after(10, throwsError("unexpected"))
    time.timers.after(10, () => seen.push("other"))
    assert.throws(() => time.runUntil(20), "unexpected")
    time.runUntil(20)
    assert.deepStrictEqual(seen, ["other"])
  })

  it.effect("on the wall clock are logged and counted, once each, and stop neither timers nor queued callbacks", () => {
    const lines: Array<unknown> = []
    const logger = Logger.make<unknown, void>(({ logLevel, message }) => {
      lines.push([logLevel, message])
    })
    return Effect.gen(function* () {
      const timers = yield* Timers
      const before = yield* countOf("timer")
      const seen = yield* Effect.callback<ReadonlyArray<string>>((resume) => {
        const order: Array<string> = []
        timers.soon(throwsError("soon"))
        timers.soon(() => order.push("soon"))
        timers.after(1, throwsError("first"))
        timers.after(1, () => order.push("same time"))
        timers.after(5, () => resume(Effect.succeed(order)))
      })
      assert.deepStrictEqual(seen, ["soon", "same time"])
      assert.deepStrictEqual(lines, [
        ["Error", ["Unhandled error"]],
        ["Error", ["Unhandled error"]]
      ])
      assert.strictEqual((yield* countOf("timer")) - before, 2)
    }).pipe(Effect.provide(layerWallClock()), Effect.provide(Logger.layer([logger])), TestClock.withLive)
  })

  it.effect("are counted even where the log fails", () =>
    Effect.gen(function* () {
      const before = yield* countOf("a place")
      const handle = yield* loggedErrors
      handle("a place", new Error("lost"), { key: "a" })
      assert.strictEqual((yield* countOf("a place")) - before, 1)
    }).pipe(Effect.provide(Logger.layer([Logger.make(throwsError("the log is full"))])))
  )

  it.effect("have a message, whatever was thrown", () =>
    Effect.sync(() => {
      assert.strictEqual(errorText("plain"), "plain")
      assert.strictEqual(errorText(undefined), "undefined")
      assert.strictEqual(errorText(Object.create(null)), "an error without a text")
      assert.include(errorText(new TypeError("odd")), "TypeError: odd\n    at ")
      assert.strictEqual(errorText(new Foreseen({ message: "refused" })), "Foreseen: refused")
    })
  )
})
