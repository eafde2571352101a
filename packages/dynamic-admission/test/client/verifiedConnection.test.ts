import type { AddressInfo } from "node:net"
import { createServer } from "node:tls"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { goErrorText } from "../../src/client/goErrors.ts"
import { connectVerified } from "../../src/client/verifiedConnection.ts"
import { nameless } from "./namelessCertificates.ts"

const NOW = Date.UTC(2027, 0, 1)

/** A server of TLS with the nameless certificate; returns its port. */
const server = Effect.acquireRelease(
  Effect.callback<ReturnType<typeof createServer>>((resume) => {
    const listening = createServer(nameless, (socket) => socket.on("error", () => undefined))
    listening.listen(0, "127.0.0.1", () => resume(Effect.succeed(listening)))
  }),
  (listening) => Effect.sync(() => listening.close())
).pipe(Effect.map((listening) => (listening.address() as AddressInfo).port))

/** What Go would say of a connection; "" if it is accepted. */
const outcome = (port: number, bundle: string, name = "localhost", nowMs = NOW) =>
  Effect.callback<string>((resume) => {
    const options = { host: "127.0.0.1", port, servername: name }
    connectVerified(options, { bundle, now: () => nowMs }, (error, socket) => {
      socket?.destroy()
      resume(Effect.succeed(error === null ? "" : goErrorText(error)))
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
    }).pipe(Effect.scoped)
  )
})
