import { createServer, type Server } from "node:https"
import type { AddressInfo } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { layerWallClock, Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { type FailedRequest, mayRepeat } from "../../src/client/repeat.ts"
import { WebhookClient } from "../../src/client/WebhookClient.ts"
import { nameless } from "./namelessCertificates.ts"

const failed: FailedRequest = { method: "POST", reusedSocket: true, handedBytes: 0, error: { code: "ECONNRESET" } }
const read = { code: "ECONNRESET", syscall: "read" }
const write = { code: "EPIPE", syscall: "write" }

const cases: ReadonlyArray<readonly [what: string, request: Partial<FailedRequest>, repeats: boolean]> = [
  ["a POST of which nothing was written", {}, true],
  ["a POST whose only write failed", { handedBytes: 900, error: write }, true],
  ["a POST of which a write failed", { handedBytes: 90_000, error: write }, false],
  ["a POST that was written", { handedBytes: 900, error: read }, false],
  ["a POST that was written before the connection ended", { handedBytes: 900 }, false],
  ["a GET that was written", { method: "GET", handedBytes: 900, error: read }, true],
  ["a GET on a new connection", { method: "GET", reusedSocket: false }, false],
  ["a request that timed out", { error: { code: "ABORT_ERR" } }, false]
]

/** A server that answers the first request, and ends the connection of each further one. */
const server = Effect.acquireRelease(
  Effect.callback<{ readonly https: Server; readonly methods: Array<string> }>((resume) => {
    const methods: Array<string> = []
    const https = createServer(nameless, (request, response) => {
      methods.push(request.method ?? "")
      request.resume()
      request.on("end", () => void (methods.length > 1 ? request.socket.destroy() : response.end("{}")))
    })
    https.listen(0, "127.0.0.1", () => resume(Effect.succeed({ https, methods })))
  }),
  ({ https }) =>
    Effect.sync(() => {
      https.closeAllConnections()
      https.close()
    })
)

describe("a request whose kept connection was closed", () => {
  it.each(cases)("%s", (_, request, repeats) => {
    assert.strictEqual(mayRepeat({ ...failed, ...request }), repeats)
  })

  it.live("is not sent again if the webhook may have read it", () =>
    Effect.gen(function* () {
      const { https, methods } = yield* server
      const url = `https://localhost:${(https.address() as AddressInfo).port}/x`
      const caBundle = Buffer.from(nameless.authority).toString("base64")
      const client = new WebhookClient({ get: () => undefined } as never, yield* Timers)
      const ask = Effect.callback<Result.Result<unknown, { readonly message: string }>>((resume) =>
        client.call(
          { url, caBundle },
          {},
          10,
          (answer) => answer,
          (answer) => resume(Effect.succeed(answer))
        )
      )
      assert.isTrue(Result.isSuccess(yield* ask))
      const second = yield* ask
      assert.strictEqual(Result.isFailure(second) && second.failure.message, `Post "${url}?timeout=10s": EOF`)
      assert.deepStrictEqual(methods, ["POST", "POST"])
    }).pipe(Effect.scoped, Effect.provide(layerWallClock()))
  )
})
