import { mkdtempSync, rmSync } from "node:fs"
import { request as httpsRequest } from "node:https"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { connect as connectTls } from "node:tls"
import { assert, describe, it } from "@effect/vitest"
import type { KubeletRequest, KubeletResponse, StreamClient } from "@rollcall/kubelet"
import { openPki } from "@rollcall/pki"
import * as Effect from "effect/Effect"
import type { KubeletServerOptions } from "../src/serving/kubelet/kubeletServer.ts"
import { nodeSubresources } from "../src/serving/kubelet/nodeSubresources.ts"
import type { NodeSubresource } from "../src/serving/secure/Access.ts"
import { kubeletPort } from "./kubeletPort.ts"

interface Answer {
  readonly code: number
  readonly body: string
}

const start = Effect.fnUntraced(function* (given: Partial<KubeletServerOptions> = {}) {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "rollcall-kubelet-"))),
    (made) => Effect.sync(() => rmSync(made, { recursive: true }))
  )
  const clients = yield* openPki({ folder, nowMs: Date.now() })
  const asked: Array<string> = []
  const served: Array<KubeletRequest> = []
  let stream: StreamClient | undefined
  let closed = 0
  const serve = (request: KubeletRequest): KubeletResponse => {
    served.push(request)
    if (!request.path.startsWith("/containerLogs")) return { code: 200, contentType: "text/plain", body: "content" }
    return {
      code: 200,
      contentType: "text/plain",
      body: {
        open: (client) => {
          stream = client
          client.write(1, "first ")
          return { write: () => {}, end: () => {}, close: () => void closed++ }
        }
      }
    }
  }
  const reviews: Parameters<typeof kubeletPort>[1] = {
    tokens: {
      reviewToken: async (token) => (token.startsWith("user-") ? { user: token.slice(5), groups: [] } : undefined)
    },
    access: {
      reviewAccess: async ({ user }, verb, _, about) => {
        const { node, subresource } = about as NodeSubresource
        asked.push(`${user} ${verb} ${node}/${subresource}`)
        if (user === "broken") throw new Error("no connection")
        return { allowed: user === subresource, reason: "" }
      }
    },
    verifiesCertificates: () => true
  }
  const port = yield* kubeletPort(serve, reviews, { clientCa: clients.authorityPem, ...given })
  const ask = (path: string, token = "", options: { readonly method?: string; readonly body?: string } = {}) =>
    Effect.callback<Answer>((resume) => {
      const headers = token === "" ? {} : { authorization: `Bearer ${token}` }
      const { body: sentBody, method = "GET" } = options
      const sent = httpsRequest(
        { host: "127.0.0.1", port, path, method, headers, agent: false, rejectUnauthorized: false },
        (response) => {
          let body = ""
          response.on("data", (chunk) => {
            body += chunk
            if (body === "first ") stream?.end()
          })
          response.on("end", () => resume(Effect.succeed({ code: response.statusCode ?? 0, body })))
        }
      )
      sent.on("error", (error) => resume(Effect.die(error)))
      sent.end(sentBody)
    })
  return { port, ask, asked, served, closed: () => closed }
})

describe("the port of a kubelet", () => {
  it.live("answers nobody without a credential, and nobody without rights", () =>
    Effect.gen(function* () {
      const { ask, asked, served } = yield* start()
      for (const path of ["/pods", "/healthz", "/metrics", "/nothing"]) {
        assert.deepStrictEqual(yield* ask(path), { code: 401, body: "Unauthorized" })
        assert.strictEqual((yield* ask(path, "wrong")).code, 401)
      }
      assert.deepStrictEqual(asked, [])
      const refused = yield* ask("/pods", "user-eve")
      const text = "Forbidden (user=eve, verb=get, resource=nodes, subresource(s)=[pods proxy])\n"
      assert.deepStrictEqual(refused, { code: 403, body: text })
      assert.deepStrictEqual(asked, ["eve get n1/pods", "eve get n1/proxy"])
      assert.strictEqual((yield* ask("/pods", "user-broken")).code, 500)
      assert.deepStrictEqual(served, [])
    }).pipe(Effect.scoped)
  )

  it.live("lets callers in by the fine-grained permissions, or by nodes/proxy", () =>
    Effect.gen(function* () {
      const { ask, served } = yield* start()
      assert.strictEqual((yield* ask("/pods", "user-pods")).body, "content")
      assert.strictEqual((yield* ask("/pods", "user-proxy")).code, 200)
      assert.strictEqual((yield* ask("/metrics/resource?x=1&x=2", "user-metrics")).code, 200)
      assert.strictEqual((yield* ask("/metrics", "user-proxy")).code, 403)
      assert.strictEqual(
        (yield* ask("/stats/summary", "user-stats", { method: "POST", body: "x".repeat(1e6) })).code,
        200
      )
      assert.strictEqual((yield* ask("/%zz", "user-proxy")).code, 400)
      assert.deepStrictEqual(served[2]?.query.get("x"), ["1", "2"])
      const coarse = yield* start({ isFineGrained: false })
      assert.strictEqual((yield* coarse.ask("/pods", "user-pods")).code, 403)
    }).pipe(Effect.scoped)
  )

  it.live("closes the connection of a refused upgrade, although its client keeps it open", () =>
    Effect.gen(function* () {
      const { port } = yield* start()
      const answered = yield* Effect.callback<string>((resume) => {
        const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true })
        let text = ""
        // The types of Node lack it.
        const halfOpen: object = { allowHalfOpen: true }
        let beat: NodeJS.Timeout | undefined
        const secure = connectTls({ ...halfOpen, socket, rejectUnauthorized: false }, () => {
          secure.write("GET /exec/ns/p/c HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n")
          beat = setInterval(() => secure.write("x"), 50)
        })
        secure.on("data", (bytes) => {
          text += String(bytes)
        })
        secure.on("error", () => {})
        socket.on("error", () => {})
        secure.on("close", () => {
          clearInterval(beat)
          resume(Effect.succeed(text))
        })
      }).pipe(Effect.timeout("3 seconds"))
      assert.match(answered, /^HTTP\/1\.1 401 /)
    })
  )

  it.live("streams logs until they end", () =>
    Effect.gen(function* () {
      const { ask, closed } = yield* start()
      const { body, code } = yield* ask("/containerLogs/ns/p/c?follow=true", "user-proxy")
      assert.deepStrictEqual([code, body], [200, "first "])
      while (closed() === 0) yield* Effect.sleep("5 millis")
      assert.strictEqual(closed(), 1)
    }).pipe(Effect.scoped)
  )
})

describe("nodeSubresources", () => {
  it("names what a path is for", () => {
    const of = (path: string) => nodeSubresources(path, true).join(" ")
    assert.strictEqual(of("/pods/"), "pods proxy")
    assert.strictEqual(of("/podsx"), "proxy")
    assert.strictEqual(of("/runningpods/"), "pods proxy")
    assert.strictEqual(of("/healthz/syncloop"), "healthz proxy")
    assert.strictEqual(of("/configz"), "configz proxy")
    assert.strictEqual(of("/stats/summary"), "stats")
    assert.strictEqual(of("/logs/x"), "log")
    assert.strictEqual(of("/checkpoint/a/b/c"), "checkpoint")
    assert.strictEqual(of("/exec/a/b/c"), "proxy")
  })
})
