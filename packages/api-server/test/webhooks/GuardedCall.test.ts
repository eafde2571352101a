import { assert, describe, it } from "@effect/vitest"
import type { CallFault } from "@rollcall/dynamic-admission"
import { GuardedCall, WebhookClient } from "@rollcall/dynamic-admission/client"
import { layerWallClock, makeVirtualTime, Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Registry } from "../../src/core/registry/Registry.ts"
import { startWebhooks } from "../admission/startWebhooks.ts"

const makeCall = () => {
  const errors: Array<string> = []
  const results: Array<string> = []
  const { timers } = makeVirtualTime(0, {
    handleError: (source, error, fields) => errors.push(`${source}: ${error} ${JSON.stringify(fields)}`)
  })
  const call = new GuardedCall<string>(timers, "webhook", { webhook: "w" }, (result) => {
    results.push(result)
    if (result === "odd") throw new Error("of the caller")
  })
  return { call, errors, results }
}

describe("GuardedCall", () => {
  it("ends with the failure when a part throws, and hands the error on", () => {
    const { call, errors, results } = makeCall()
    call.run(
      () => {
        throw new Error("odd")
      },
      () => "failed"
    )
    assert.deepStrictEqual(results, ["failed"])
    assert.deepStrictEqual(errors, ['webhook: Error: odd {"webhook":"w"}'])
    assert.isTrue(call.isOver)
  })

  it("has one result, and runs nothing afterwards", () => {
    const { call, errors, results } = makeCall()
    call.finish("first")
    call.finish("second")
    call.run(
      () => assert.fail("ran"),
      () => "third"
    )
    assert.deepStrictEqual([results, errors], [["first"], []])
  })

  it("survives an error of whoever takes the result", () => {
    const { call, errors, results } = makeCall()
    call.run(
      () => call.finish("odd"),
      () => "failed"
    )
    assert.deepStrictEqual(results, ["odd"])
    assert.deepStrictEqual(errors, ['webhook: Error: of the caller {"webhook":"w"}'])
  })
})

describe("WebhookClient", () => {
  it.live("fails a call whose answer cannot be handled, and makes the next one", () =>
    Effect.gen(function* () {
      const { clientConfig } = yield* startWebhooks({ "/ok": () => ({ allowed: true }) })
      const timers = yield* Timers
      const errors: Array<unknown> = []
      const client = new WebhookClient({} as Registry, {
        ...timers,
        now: timers.now,
        handleError: (_source, error) => errors.push(error)
      })
      const ask = <A>(path: string, read: () => A) =>
        Effect.callback<Result.Result<A, CallFault>>((resume) =>
          client.call(clientConfig(path), { request: { uid: "u" } }, 5, read, (result) =>
            resume(Effect.succeed(result))
          )
        )
      const odd = new Error("odd")
      const refused = yield* ask("/ok", () => {
        throw odd
      })
      assert.deepStrictEqual(refused, Result.fail({ message: "internal error", code: 500, isUnsent: false }))
      assert.deepStrictEqual(errors, [odd])
      assert.deepStrictEqual(yield* ask("/ok", () => "read"), Result.succeed("read"))
      const noAddress = clientConfig("/ok").url.replace("https://", "https://[")
      client.call({ url: noAddress }, {}, 5, Object, () => undefined)
      assert.strictEqual(errors.length, 2)
    }).pipe(Effect.scoped, Effect.provide(layerWallClock()))
  )
})
