import { assert, describe, it } from "@effect/vitest"
import { MaxInFlight } from "@rollcall/flow-control"
import * as Effect from "effect/Effect"
import { startServer, wallClock } from "./startServer.ts"
import { head, makeClusterAdmin, makeKeys, openHttp2Session, openWire, tlsOf } from "./wire.ts"

const CONFIGMAPS = "/api/v1/namespaces/default/configmaps"
const LEASES = "/apis/coordination.k8s.io/v1/namespaces/default/leases"
const JSON_OF_10_KB = { "Content-Type": "application/json", "Content-Length": 10_000 }
const authorizationOf = (user: string) => ({ Authorization: `Bearer ${user}` })
const shortTimes = { graceMs: 60, discardMs: 60, checkMs: 20 }

describe("bodies", () => {
  it.live("take no seat before they are complete", () =>
    Effect.gen(function* () {
      const apiServer = yield* startServer({
        flowControl: new MaxInFlight({ readonly: 1, mutating: 1, heartbeats: 1 })
      })
      yield* makeClusterAdmin(apiServer, "alice")
      for (const path of [CONFIGMAPS, LEASES, CONFIGMAPS, LEASES]) {
        yield* openWire(
          apiServer.port,
          `${head("POST", path, { ...authorizationOf("alice"), ...JSON_OF_10_KB })}{"metadata"`
        )
      }
      const body = { metadata: { name: "a" } }
      assert.strictEqual((yield* apiServer.ask("POST", CONFIGMAPS, { token: "alice", body })).code, 201)
      assert.strictEqual((yield* apiServer.ask("POST", LEASES, { token: "alice", body })).code, 201)
      const metrics = yield* apiServer.ask("GET", "/metrics")
      assert.include(metrics.body, 'apiserver_current_inflight_requests{request_kind="mutating"} 1')
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )

  it.live("are not needed to refuse the caller", () =>
    Effect.gen(function* () {
      const { port } = yield* startServer()
      const refused = (user: string) =>
        Effect.flatMap(
          openWire(port, head("POST", CONFIGMAPS, { ...authorizationOf(user), ...JSON_OF_10_KB })),
          ({ until }) => until(/\r\n\r\n\{/)
        )
      assert.match(yield* refused("nobody"), /^HTTP\/1\.1 401 /)
      assert.match(yield* refused("alice"), /^HTTP\/1\.1 403 /)
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )

  it.live("that are refused and never end have their connection closed", () =>
    Effect.gen(function* () {
      const { port } = yield* startServer({ bodies: shortTimes })
      const { closed } = yield* openWire(
        port,
        head("POST", CONFIGMAPS, { ...authorizationOf("alice"), ...JSON_OF_10_KB })
      )
      yield* closed
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )

  it.live("that are refused and end leave the connection for the next request", () =>
    Effect.gen(function* () {
      const { port } = yield* startServer({ bodies: shortTimes })
      const post = head("POST", CONFIGMAPS, { ...authorizationOf("alice"), "Content-Length": 4 })
      const { until } = yield* openWire(port, `${post}{}{}${head("GET", "/livez")}`)
      assert.match(yield* until(/ok$/), /^HTTP\/1\.1 403 [\s\S]*HTTP\/1\.1 200 OK/)
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )

  it.live("that are late are refused", () =>
    Effect.gen(function* () {
      const { ask, port } = yield* startServer({ bodies: shortTimes })
      const { closed, received } = yield* openWire(
        port,
        `${head("POST", CONFIGMAPS, { ...authorizationOf("admin"), ...JSON_OF_10_KB })}{`
      )
      yield* closed
      assert.match(received(), /^HTTP\/1\.1 504 [\s\S]*"reason":"Timeout"/)
      const { body } = yield* ask("GET", "/metrics")
      assert.match(
        body,
        /\napiserver_request_terminations_total\{code="504",.*resource="configmaps",.*verb="POST",.*\} 1\n/
      )
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )

  it.live("of one user that use too much memory are refused, and those of others are not", () =>
    Effect.gen(function* () {
      const apiServer = yield* startServer({ bodies: { userBytes: 50_000 } })
      yield* makeClusterAdmin(apiServer, "alice")
      const post = head("POST", CONFIGMAPS, { ...authorizationOf("alice"), ...JSON_OF_10_KB })
      for (let count = 0; count < 3; count++) yield* openWire(apiServer.port, `${post}${"x".repeat(9000)}`)
      const { until } = yield* openWire(apiServer.port, `${post}${"x".repeat(9000)}`)
      assert.match(yield* until(/\r\n\r\n\{/), /^HTTP\/1\.1 429 [\s\S]*Retry-After: 1\r\n/)
      assert.strictEqual((yield* apiServer.ask("POST", CONFIGMAPS, { body: { metadata: { name: "a" } } })).code, 201)
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )

  it.live("that a client cuts off over HTTP/2 are not treated as complete", () =>
    Effect.gen(function* () {
      const pki = yield* makeKeys
      const apiServer = yield* startServer({}, undefined, { tls: tlsOf(pki) })
      const session = yield* openHttp2Session(pki, apiServer)
      const send = (text: string, cut: boolean) =>
        Effect.callback<void>((resume) => {
          const headers = { ":method": "POST", ":path": CONFIGMAPS, "content-type": "application/yaml" }
          const stream = session.request({ ...headers, authorization: "Bearer admin" }, { endStream: false })
          stream.on("error", () => {})
          stream.on("close", () => resume(Effect.void))
          stream.resume()
          stream.write(text, () => {
            if (cut) stream.destroy(new Error("cut"))
            else stream.end()
          })
        })
      yield* send("metadata: {name: cut}\n", true)
      yield* send("metadata: {name: whole}\n", false)
      const names: Array<string> = []
      apiServer.server.registry.kinds.ConfigMap.cache.visit("default", ({ metadata }) =>
        names.push(metadata.name ?? "")
      )
      assert.deepStrictEqual(names, ["whole"])
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )
})
