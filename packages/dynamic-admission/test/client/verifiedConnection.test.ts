import { type AddressInfo, createServer as createTcpServer, type Server } from "node:net"
import { createServer } from "node:tls"
import { assert, describe, it } from "@effect/vitest"
import { layerWallClock, Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { goErrorText } from "../../src/client/goErrors.ts"
import { verifiedConnection } from "../../src/client/verifiedConnection.ts"
import { WebhookClient } from "../../src/client/WebhookClient.ts"
import type { CallFault } from "../../src/ports.ts"
import { nameless } from "./namelessCertificates.ts"

const NOW = Date.UTC(2027, 0, 1)

/** What the server has read. */
const received: Array<string> = []

/** A server of TLS with the nameless certificate; returns its port. */
const server = Effect.acquireRelease(
  Effect.callback<ReturnType<typeof createServer>>((resume) => {
    const listening = createServer(nameless, (socket) => {
      socket.on("error", () => undefined)
      socket.on("data", (data) => {
        received.push(data.toString())
        socket.write("answer")
      })
    })
    listening.listen(0, "127.0.0.1", () => resume(Effect.succeed(listening)))
  }),
  (listening) => Effect.sync(() => listening.close())
).pipe(Effect.map((listening) => (listening.address() as AddressInfo).port))

/** What Go would say of a connection; "" if it is accepted. */
const outcome = (port: number, bundle: string, name = "localhost", nowMs = NOW) =>
  Effect.callback<string>((resume) => {
    const options = { host: "127.0.0.1", port, servername: name }
    const socket = verifiedConnection(options, { bundle, now: () => nowMs })
    socket.on("error", (error) => resume(Effect.succeed(goErrorText(error))))
    // What is written before the handshake ends reaches only a server that is accepted.
    socket.write("hello")
    socket.on("data", () => {
      socket.destroy()
      resume(Effect.succeed(""))
    })
  })

describe("a verified connection", () => {
  it.live("accepts what a nameless authority signed for a nameless subject", () =>
    Effect.gen(function* () {
      const port = yield* server
      const failed = "tls: failed to verify certificate: x509: "
      assert.strictEqual(yield* outcome(port, nameless.authority), "")
      assert.strictEqual(yield* outcome(port, `${nameless.otherAuthority}\n${nameless.authority}`), "")
      assert.strictEqual(
        yield* outcome(port, nameless.otherAuthority),
        `${failed}certificate signed by unknown authority`
      )
      // The names are judged before the authority, and the dates before the names.
      const elsewhere = `${failed}certificate is valid for localhost, not elsewhere`
      assert.strictEqual(yield* outcome(port, nameless.otherAuthority, "elsewhere"), elsewhere)
      assert.strictEqual(yield* outcome(port, nameless.authority, "elsewhere"), elsewhere)
      assert.strictEqual(
        yield* outcome(port, nameless.authority, "elsewhere", Date.UTC(2200, 0)),
        `${failed}certificate has expired or is not yet valid`
      )
      assert.deepStrictEqual(received, ["hello", "hello"])
    }).pipe(Effect.scoped)
  )

  it.live("ends with the timeout of its call while the server does not shake hands", () =>
    Effect.gen(function* () {
      const silent = yield* Effect.acquireRelease(
        Effect.callback<Server>((resume) => {
          const listening = createTcpServer(() => undefined)
          listening.listen(0, "127.0.0.1", () => resume(Effect.succeed(listening)))
        }),
        (listening) => Effect.sync(() => listening.close())
      )
      const url = `https://localhost:${(silent.address() as AddressInfo).port}/x`
      const caBundle = Buffer.from(nameless.authority).toString("base64")
      const client = new WebhookClient({ get: () => undefined } as never, yield* Timers)
      const result = yield* Effect.callback<Result.Result<unknown, CallFault>>((resume) =>
        client.call(
          { url, caBundle },
          {},
          0.02,
          (answer) => answer,
          (answer) => resume(Effect.succeed(answer))
        )
      )
      const message = `Post "${url}?timeout=0.02s": context deadline exceeded`
      assert.deepStrictEqual(result, Result.fail({ message, code: 503, isUnsent: false }))
    }).pipe(Effect.scoped, Effect.provide(layerWallClock()))
  )
})
