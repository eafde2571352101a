import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { plainConfig, watchToEnd, withServer } from "./client.ts"
import { pki } from "./pki.ts"
import { respondWithJson, type Script } from "./ScriptedServer.ts"

const line = (name: string) =>
  `${JSON.stringify({ type: "ADDED", object: { apiVersion: "v1", kind: "Node", metadata: { name } } })}\n`

const http2OverTls = { config: (url: string) => ({ ...plainConfig(url), tls: { ca: pki().ca.cert } }), http2: true }

describe("watches over HTTP/2", () => {
  const three: Script = (_, response) => {
    response.writeHead(200)
    response.write(line("a"))
    setTimeout(() => response.end(line("b")), 20)
  }
  const ask = (speaks: { readonly tls?: boolean; readonly speaksHttp2?: boolean }) => {
    const versions = new Set<unknown>()
    const sockets = new Set<unknown>()
    return withServer(
      (seen, response, socket) => {
        versions.add(response.req?.httpVersion)
        sockets.add("remotePort" in socket ? socket.remotePort : 0)
        three(seen, response, socket)
      },
      ({ client }) =>
        Effect.gen(function* () {
          const all = yield* Effect.forEach(Array.from({ length: 150 }), () => watchToEnd(client, { kind: "Node" }), {
            concurrency: "unbounded"
          })
          for (const { error, events } of all) {
            assert.isUndefined(error)
            assert.strictEqual(events.length, 2)
          }
          return { versions: [...versions], connections: sockets.size }
        }),
      { ...http2OverTls, ...speaks }
    )
  }

  it.live("share connections, a hundred each", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* ask({ speaksHttp2: true }), { versions: ["2.0"], connections: 2 })
    })
  )

  it.live("have one each where the server speaks HTTP/1.1 only", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* ask({ tls: true }), { versions: ["1.1"], connections: 150 })
    })
  )

  it.live("report why they were refused, and when they were cut", () =>
    withServer(
      ({ url }, response) => {
        if (url.includes("/pods"))
          respondWithJson(response, 410, { kind: "Status", status: "Failure", reason: "Expired", code: 410 })
        else response.writeHead(200).write(line("a"))
      },
      ({ client, server, timers }) =>
        Effect.gen(function* () {
          const { error } = yield* watchToEnd(client, { kind: "Pod" })
          assert.strictEqual(error?._tag === "ApiError" && error.reason, "Expired")
          timers.after(100, server.cut)
          const cut = yield* watchToEnd(client, { kind: "Node" })
          assert.notStrictEqual(cut.error?._tag, "ApiError")
          assert.strictEqual(cut.events.length, 1)
          timers.after(100, server.cut)
          assert.strictEqual((yield* watchToEnd(client, { kind: "Node" })).events.length, 1)
        }),
      { ...http2OverTls, speaksHttp2: true }
    )
  )
})
