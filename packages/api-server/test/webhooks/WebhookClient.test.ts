import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import type { CallFault } from "@rollcall/dynamic-admission"
import { WebhookClient } from "@rollcall/dynamic-admission/client"
import { layerWallClock, Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Registry } from "../../src/core/registry/Registry.ts"
import { startWebhooks } from "../admission/startWebhooks.ts"

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

  it.live("fails a call whose request the server has read before it closes the kept connection, as Go does", () =>
    Effect.gen(function* () {
      const used = new WeakSet<object>()
      let closed = 0
      const server = createServer((request, response) => {
        if (used.has(request.socket) && closed === 0) {
          closed++
          request.socket.destroy()
          return
        }
        used.add(request.socket)
        response.end("{}")
      })
      yield* Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void)))
      yield* Effect.addFinalizer(() => Effect.sync(() => server.close()))
      const client = new WebhookClient({} as Registry, yield* Timers)
      const { port } = server.address() as AddressInfo
      const ask = Effect.callback<Result.Result<unknown, CallFault>>((resume) =>
        client.call({ url: `http://127.0.0.1:${port}/` }, {}, 5, Object, (result) => resume(Effect.succeed(result)))
      )
      const message = `Post "http://127.0.0.1:${port}/?timeout=5s": EOF`
      // A connection is kept some time after its answer, so that the second call may still open another.
      for (const _ of [1, 2, 3]) {
        const before = closed
        const answer = yield* ask
        const isClosed = closed > before
        assert.deepStrictEqual(
          answer,
          isClosed ? Result.fail({ message, code: 503, isUnsent: false }) : Result.succeed({})
        )
      }
      assert.strictEqual(closed, 1)
      assert.deepStrictEqual(yield* ask, Result.succeed({}))
    }).pipe(Effect.scoped, Effect.provide(layerWallClock()))
  )

  it.live("takes an answer without a type for JSON", () =>
    Effect.gen(function* () {
      const server = createServer((_, response) => response.writeHead(200).end())
      yield* Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void)))
      yield* Effect.addFinalizer(() => Effect.sync(() => server.close()))
      const client = new WebhookClient({} as Registry, yield* Timers)
      const { port } = server.address() as AddressInfo
      const answer = yield* Effect.callback<Result.Result<unknown, CallFault>>((resume) =>
        client.call({ url: `http://127.0.0.1:${port}/` }, {}, 5, Object, (result) => resume(Effect.succeed(result)))
      )
      const message = "0-length response with status code: 200 and content type: application/json"
      assert.deepStrictEqual(answer, Result.fail({ message, code: 503, isUnsent: false }))
    }).pipe(Effect.scoped, Effect.provide(layerWallClock()))
  )
})
