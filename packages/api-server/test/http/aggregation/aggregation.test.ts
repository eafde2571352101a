import { createServer, type Server } from "node:https"
import type { AddressInfo } from "node:net"
import type { TLSSocket } from "node:tls"
import { assert, describe, it } from "@effect/vitest"
import type { Pki } from "@rollcall/pki"
import * as Effect from "effect/Effect"
import { type RunningServer, startServer, wallClock } from "../startServer.ts"
import { makeKeys, makeKeysFor, openWire } from "../wire.ts"

// biome-ignore lint/suspicious/noExplicitAny: JSON of many shapes
type Json = any

interface Seen {
  readonly method: string
  readonly url: string
  readonly headers: Json
  readonly body: string
  readonly proxy: string | undefined
}

const resources = [
  { name: "flunders", singularName: "flunder", namespaced: true, kind: "Flunder", verbs: ["get", "list", "watch"] }
]

const flunder = { $ref: "#/definitions/com.example.Flunder" }

const documents: Readonly<Record<string, object>> = {
  "/apis/wardle.example.com/v1": { kind: "APIResourceList", groupVersion: "wardle.example.com/v1", resources },
  "/openapi/v2": {
    swagger: "2.0",
    paths: {
      "/apis/wardle.example.com/v1/flunders": { get: { responses: { 200: { schema: flunder, description: "OK" } } } },
      "/apis/other/v1/": {}
    },
    definitions: {
      "com.example.Flunder": { type: "object", properties: { spec: { $ref: "#/definitions/com.example.Spec" } } },
      "com.example.Spec": { type: "object" },
      "com.example.Unused": { type: "object" }
    }
  },
  "/openapi/v3": {
    paths: { "apis/wardle.example.com/v1": { serverRelativeURL: "/openapi/v3/apis/wardle.example.com/v1" } }
  },
  "/openapi/v3/apis/wardle.example.com/v1": { openapi: "3.0.0", info: { title: "wardle" } }
}

/** An extension API server that knows its users from a proxy. */
const startExtension = Effect.fnUntraced(function* (keys: Pki) {
  const seen: Array<Seen> = []
  const pace = { answerAfterMs: 0 }
  const server = yield* Effect.acquireRelease(
    Effect.callback<Server>((resume) => {
      const { certificatePem: cert, keyPem: key } = keys.server
      const made = createServer({ cert, key, requestCert: true, rejectUnauthorized: false }, (request, response) => {
        let body = ""
        request.on("data", (chunk) => {
          body += chunk
        })
        request.on("end", () => {
          const { headers, method = "", url = "" } = request
          const proxy = (request.socket as TLSSocket).getPeerCertificate().subject?.CN
          seen.push({ method, url, headers, body, proxy: Array.isArray(proxy) ? proxy[0] : proxy })
          const path = url.replace(/\?.*/, "")
          const type = { "content-type": "application/json" }
          if (path === "/apis") return response.writeHead(404).end()
          if (path.endsWith("/cut")) return request.socket.destroy()
          if (path.endsWith("/elsewhere")) return response.writeHead(302, { location: "https://example.com" }).end()
          if (path.endsWith("/teapot")) return response.writeHead(418, { ...type, "x-own": "yes" }).end("{}")
          if (url.includes("watch=true")) {
            response.writeHead(200, type)
            response.write('{"type":"ADDED"}\n')
            return setTimeout(() => response.end('{"type":"MODIFIED"}\n'), 50)
          }
          const answer = () => response.writeHead(200, type).end(JSON.stringify(documents[path] ?? { path, body }))
          return pace.answerAfterMs === 0 ? answer() : setTimeout(answer, pace.answerAfterMs)
        })
      })
      made.on("upgrade", (request, socket) => {
        seen.push({ method: "upgrade", url: request.url ?? "", headers: request.headers, body: "", proxy: undefined })
        socket.on("error", () => {})
        socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n")
        socket.pipe(socket)
      })
      made.listen(0, "127.0.0.1", () => resume(Effect.succeed(made)))
    }),
    (made) =>
      Effect.sync(() => {
        made.closeAllConnections()
        made.close()
      })
  )
  return { seen, pace, port: (server.address() as AddressInfo).port, stop: () => server.closeAllConnections() }
})

const apiServices = "/apis/apiregistration.k8s.io/v1/apiservices"

const register = ({ ask }: RunningServer, port: number, spec: object) =>
  Effect.gen(function* () {
    yield* ask("POST", "/api/v1/namespaces/default/services", {
      body: {
        apiVersion: "v1",
        kind: "Service",
        metadata: { name: "ext" },
        spec: { type: "ExternalName", externalName: "localhost", ports: [{ port }] }
      }
    })
    const { body, code } = yield* ask("POST", apiServices, {
      body: {
        apiVersion: "apiregistration.k8s.io/v1",
        kind: "APIService",
        metadata: { name: "v1.wardle.example.com" },
        spec: {
          group: "wardle.example.com",
          version: "v1",
          groupPriorityMinimum: 2000,
          versionPriority: 15,
          service: { name: "ext", namespace: "default", port },
          ...spec
        }
      }
    })
    assert.strictEqual(code, 201, body)
  })

const conditionOf = ({ ask }: RunningServer) =>
  Effect.map(ask("GET", `${apiServices}/v1.wardle.example.com`), ({ json }) => json.status?.conditions?.[0] ?? {})

const until = Effect.fnUntraced(function* (server: RunningServer, reason: string, text = "") {
  for (let tries = 0; tries < 300; tries++) {
    const condition = yield* conditionOf(server)
    if (condition.reason === reason && condition.message.includes(text)) return condition
    yield* Effect.sleep(10)
  }
  return yield* Effect.die(`${JSON.stringify(yield* conditionOf(server))} is not ${reason}`)
})

const path = (rest: string) => `/apis/wardle.example.com/v1${rest}`

const started = Effect.fnUntraced(function* () {
  const keys = yield* makeKeysFor("ext.default.svc")
  const own = yield* makeKeys
  const extension = yield* startExtension(keys)
  const server = yield* startServer({ proxyCertificate: () => own.frontProxyClient })
  const caBundle = Buffer.from(keys.authorityPem).toString("base64")
  yield* register(server, extension.port, { caBundle })
  return { ...server, extension, server, caBundle }
})

// The answers are those of kube-apiserver v1.36.2 with the same extension API server.

describe("aggregation", () => {
  it.live("makes its own versions available again where a status is written without the condition", () =>
    Effect.gen(function* () {
      const { ask } = yield* startServer()
      const path = "/apis/apiregistration.k8s.io/v1/apiservices"
      const spec = { group: "own.example.com", version: "v1", groupPriorityMinimum: 5, versionPriority: 5 }
      yield* ask("POST", path, { body: { metadata: { name: "v1.own.example.com" }, spec } })
      const headers = { "content-type": "application/merge-patch+json" }
      const status = { conditions: [{ type: "Other", status: "True" }] }
      yield* ask("PATCH", `${path}/v1.own.example.com/status`, { headers, body: { status } })
      let reasons: Json = []
      for (let tries = 0; tries < 200 && reasons.length < 2; tries++) {
        yield* Effect.sleep(5)
        const { json } = yield* ask("GET", `${path}/v1.own.example.com`)
        reasons = json.status.conditions.map(({ reason, type }: Json) => [type, reason])
      }
      assert.deepStrictEqual(reasons, [
        ["Other", undefined],
        ["Available", "Local"]
      ])
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )

  it.live("notices what changes while a check runs", () =>
    Effect.gen(function* () {
      const { ask, extension, server } = yield* started()
      yield* until(server, "Passed")
      yield* Effect.sleep(100)
      extension.pace.answerAfterMs = 300
      const before = extension.seen.length
      const merge = { headers: { "content-type": "application/merge-patch+json" } }
      const body = { metadata: { annotations: { a: "b" } } }
      yield* ask("PATCH", `${apiServices}/v1.wardle.example.com`, { ...merge, body })
      while (extension.seen.length === before) yield* Effect.sleep(5)
      yield* ask("DELETE", "/api/v1/namespaces/default/services/ext")
      assert.strictEqual((yield* until(server, "ServiceNotFound")).status, "False")
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )

  it.live("passes requests on in the name of their users", () =>
    Effect.gen(function* () {
      const { ask, extension, server } = yield* started()
      assert.strictEqual((yield* until(server, "Passed")).message, "all checks passed")
      const got = yield* ask("GET", path("/namespaces/default/flunders/a?b=2&a=1"))
      assert.deepStrictEqual(got.json, { path: path("/namespaces/default/flunders/a"), body: "" })
      const posted = yield* ask("POST", path("/namespaces/default/flunders"), {
        body: { x: 1 },
        headers: { "x-remote-user": "evil", "x-remote-extra-a": "evil" }
      })
      assert.strictEqual(posted.json.body, '{"x":1}')
      const [first, second] = extension.seen.filter(({ headers }) => headers["x-remote-user"] === "admin")
      assert.strictEqual(first?.url, path("/namespaces/default/flunders/a?a=1&b=2"))
      assert.strictEqual(first?.proxy, "front-proxy-client")
      assert.strictEqual(second?.headers["x-remote-user"], "admin")
      assert.strictEqual(second?.headers["x-remote-group"], "system:masters, system:authenticated")
      assert.isUndefined(second?.headers["x-remote-extra-a"])
      assert.isUndefined(second?.headers.authorization)
      const teapot = yield* ask("GET", path("/teapot"))
      assert.deepStrictEqual([teapot.code, teapot.headers["x-own"]], [418, "yes"])
      const { code, json } = yield* ask("GET", path("/namespaces/default/flunders"), { token: "alice" })
      assert.deepStrictEqual([code, json.reason], [403, "Forbidden"])
      const watched = yield* ask("GET", path("/flunders?watch=true"))
      assert.strictEqual(watched.body, '{"type":"ADDED"}\n{"type":"MODIFIED"}\n')
    }).pipe(Effect.provide(wallClock))
  )

  it.live("passes agreed upgrades to other protocols on", () =>
    Effect.gen(function* () {
      const { ask, extension, port, server } = yield* started()
      yield* until(server, "Passed")
      const headers = "Host: x\r\nAuthorization: Bearer admin\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n"
      // Clients of SPDY post; the end of a body in chunks would be the first bytes of the other protocol.
      const wire = yield* openWire(port, `POST ${path("/stream")} HTTP/1.1\r\nContent-Length: 0\r\n${headers}`)
      assert.match(yield* wire.until(/Upgrade: echo\r\n\r\n/i), /^HTTP\/1.1 101 Switching Protocols/)
      wire.socket.write("hello")
      assert.match(yield* wire.until(/hello/), /\r\n\r\nhello$/)
      const upgraded = extension.seen.find(({ method }) => method === "upgrade")
      assert.strictEqual(upgraded?.headers["x-remote-user"], "admin")
      assert.strictEqual(upgraded?.headers.upgrade, "echo")
      assert.strictEqual(upgraded?.headers["content-length"], "0")
      wire.socket.end()
      yield* wire.closed
      const own = yield* openWire(port, `GET /version HTTP/1.1\r\n${headers}`)
      assert.match(yield* own.until(/"gitVersion"/), /^HTTP\/1.1 200 OK/)
      assert.strictEqual((yield* ask("GET", path("/teapot"))).code, 418)
    }).pipe(Effect.provide(wallClock))
  )

  it.live("answers for a server that cannot", () =>
    Effect.gen(function* () {
      const { ask, server } = yield* started()
      yield* until(server, "Passed")
      const cut = yield* ask("GET", path("/cut"))
      assert.deepStrictEqual([cut.code, cut.body], [503, "error trying to reach service: EOF\n"])
      const redirected = yield* ask("GET", path("/elsewhere"))
      assert.deepStrictEqual(
        [redirected.code, redirected.body],
        [502, "the backend attempted to redirect this request, which is not permitted"]
      )
      yield* ask("DELETE", "/api/v1/namespaces/default/services/ext")
      yield* until(server, "ServiceNotFound")
      const { body, code } = yield* ask("GET", path("/flunders"))
      assert.deepStrictEqual([code, body], [503, "service unavailable\n"])
    }).pipe(Effect.provide(wallClock))
  )

  it.live("keeps a token that is a subprotocol from other servers", () =>
    Effect.gen(function* () {
      const { extension, port, server } = yield* started()
      yield* until(server, "Passed")
      const token = `base64url.bearer.authorization.k8s.io.${Buffer.from("admin").toString("base64url")}`
      const headers = `Host: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Protocol: ${token}, v1\r\n\r\n`
      // Clients of SPDY post; the end of a body in chunks would be the first bytes of the other protocol.
      const wire = yield* openWire(port, `POST ${path("/stream")} HTTP/1.1\r\nContent-Length: 0\r\n${headers}`)
      assert.match(yield* wire.until(/\r\n\r\n/), /^HTTP\/1.1 101/)
      const upgraded = extension.seen.find(({ method }) => method === "upgrade")
      assert.strictEqual(upgraded?.headers["x-remote-user"], "admin")
      assert.strictEqual(upgraded?.headers["sec-websocket-protocol"], "v1")
    }).pipe(Effect.provide(wallClock))
  )

  it.live("trusts the authorities of the APIService only", () =>
    Effect.gen(function* () {
      const { ask, caBundle, server } = yield* started()
      yield* until(server, "Passed")
      const other = Buffer.from((yield* makeKeys).authorityPem).toString("base64")
      const change = (spec: object) =>
        ask("PATCH", `${apiServices}/v1.wardle.example.com`, {
          body: { spec },
          headers: { "content-type": "application/merge-patch+json" }
        })
      yield* change({ caBundle: other })
      // The end of an older connection can be noticed first.
      const refused = "tls: failed to verify certificate: x509: certificate signed by unknown authority"
      yield* until(server, "FailedDiscoveryCheck", refused)
      yield* change({ caBundle: null, insecureSkipTLSVerify: true })
      yield* until(server, "Passed")
      yield* change({ caBundle, insecureSkipTLSVerify: null })
      yield* change({ caBundle: null, service: null })
      yield* until(server, "Local")
      assert.strictEqual((yield* ask("GET", path("/flunders"))).code, 404)
    }).pipe(Effect.provide(wallClock))
  )

  it.live("shows in discovery what other servers serve, by priority", () =>
    Effect.gen(function* () {
      const { ask, server } = yield* started()
      yield* until(server, "Passed")
      yield* Effect.sleep(200)
      const groups = (yield* ask("GET", "/apis")).json.groups.map(({ name }: Json) => name)
      assert.strictEqual(groups.at(-1), "wardle.example.com")
      assert.strictEqual((yield* ask("GET", "/apis/wardle.example.com")).json.preferredVersion.version, "v1")
      assert.deepStrictEqual((yield* ask("GET", path(""))).json.resources, resources)
      const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
      const { json } = yield* ask("GET", "/apis", { headers: { accept } })
      const [version] = json.items.find(({ metadata }: Json) => metadata.name === "wardle.example.com").versions
      assert.deepStrictEqual([version.freshness, version.resources[0].resource], ["Current", "flunders"])
      const index = (yield* ask("GET", "/openapi/v3")).json.paths
      const { serverRelativeURL } = index["apis/wardle.example.com/v1"]
      assert.strictEqual((yield* ask("GET", serverRelativeURL)).json.info.title, "wardle")
      const v2 = (yield* ask("GET", "/openapi/v2")).json
      const added = (names: object) => Object.keys(names).filter((name) => /wardle|other|com.example/.test(name))
      assert.deepStrictEqual(added(v2.paths), ["/apis/wardle.example.com/v1/flunders"])
      assert.deepStrictEqual(added(v2.definitions), ["com.example.Flunder", "com.example.Spec"])
      assert.isDefined(v2.paths["/api/v1/namespaces"])
      yield* ask("DELETE", `${apiServices}/v1.wardle.example.com`)
      yield* Effect.sleep(100)
      assert.strictEqual((yield* ask("GET", "/apis/wardle.example.com")).code, 404)
    }).pipe(Effect.provide(wallClock))
  )
})
