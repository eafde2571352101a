import { mkdtempSync, rmSync } from "node:fs"
import { createServer as createPlainServer, type Server } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createServer as createTlsServer } from "node:tls"
import { assert, describe, it } from "@effect/vitest"
import { type KubeletAddress, type KubeletTransportShape, makeWireTimers } from "@rollcall/api-server/http"
import { openPki, selfSigned } from "@rollcall/pki"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { dialledTransport } from "../src/apiserver/kubelets/dialledTransport.ts"
import { serverTransport } from "../src/apiserver/kubelets/serverTransport.ts"

const DAY_MS = 86_400_000

const listening = <S extends Server>(server: S) =>
  Effect.acquireRelease(
    Effect.callback<KubeletAddress>((resume) => {
      server.listen(0, "127.0.0.1", () => {
        const at = server.address()
        const port = typeof at === "object" && at !== null ? at.port : 0
        resume(Effect.succeed({ node: "n1", host: "127.0.0.1", port, isKubelet: true, scheme: "https" }))
      })
    }),
    () => Effect.sync(() => server.close())
  )

const request = { method: "GET", path: "/", query: new Map(), body: new Uint8Array() }

/** Sends a request, and returns the code of its answer, or why there is none. */
const ask = (transport: KubeletTransportShape, address: KubeletAddress) =>
  Effect.callback<number | string>((resume) => {
    transport.send(address, request, (answer) => {
      if (Result.isFailure(answer)) return resume(Effect.succeed(answer.failure))
      const { body, code } = answer.success
      if (typeof body === "object" && "message" in body) body.message.resume()
      resume(Effect.succeed(code))
    })
  })

describe("a dial to a kubelet", () => {
  it.live("ends if the other side says nothing to the handshake", () =>
    Effect.gen(function* () {
      const silent = createPlainServer((socket) => void socket.on("error", () => {}))
      const address = yield* listening(silent)
      const transport = dialledTransport({ timers: yield* makeWireTimers, client: () => undefined, handshakeMs: 50 })
      assert.strictEqual(yield* ask(transport, address), "net/http: TLS handshake timeout")
    }).pipe(Effect.scoped)
  )

  it.live("goes to a name only if that stands for another machine, where it has to", () =>
    Effect.gen(function* () {
      const address = yield* listening(createPlainServer())
      const transport = dialledTransport({ timers: yield* makeWireTimers, client: () => undefined })
      const named = { ...address, host: "localhost", isForeignOnly: true }
      assert.strictEqual(yield* ask(transport, named), "address not allowed")
    }).pipe(Effect.scoped)
  )
})

describe("the certificate by which kubelets know a server", () => {
  it.live("is of the cluster's authority, stays for later connections, and is issued again before it ends", () =>
    Effect.gen(function* () {
      const folder = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "rollcall-keys-"))),
        (made) => Effect.sync(() => rmSync(made, { recursive: true }))
      )
      const pki = yield* openPki({ folder, nowMs: Date.now() })
      const { certificatePem: cert, keyPem: key } = selfSigned([], Date.now())
      const shown: Array<string> = []
      const kubelet = createTlsServer(
        { cert, key, requestCert: true, rejectUnauthorized: false, ca: pki.authorityPem },
        (socket) => {
          const { serialNumber, subject } = socket.getPeerCertificate()
          shown.push(`${socket.authorized} ${subject?.O} ${subject?.CN} ${serialNumber}`)
          socket.on("error", () => {})
          socket.on("data", () => socket.end("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"))
        }
      )
      const address = yield* listening(kubelet)
      const timers = yield* makeWireTimers
      const { transport, useKeys } = yield* serverTransport({}, pki, { timers, wallClockMs: Date.now })
      assert.strictEqual(yield* ask(transport, address), 200)
      useKeys(pki, Date.now())
      assert.strictEqual(yield* ask(transport, address), 200)
      useKeys(pki, Date.now() + 360 * DAY_MS)
      assert.strictEqual(yield* ask(transport, address), 200)
      assert.match(shown[0] ?? "", /^true system:masters kube-apiserver-kubelet-client \w+$/)
      assert.deepStrictEqual([shown[1] === shown[0], shown[2] === shown[0]], [true, false])
      assert.match(shown[2] ?? "", /^true system:masters kube-apiserver-kubelet-client \w+$/)
    }).pipe(Effect.scoped)
  )
})
