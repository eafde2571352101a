import { assert, describe, it } from "@effect/vitest"
import { MaxInFlight } from "@rollcall/flow-control"
import * as Effect from "effect/Effect"
import { startServer, wallClock } from "./startServer.ts"
import { makeClusterAdmin } from "./wire.ts"

describe("requests in flight", () => {
  it.live("beyond the limit are refused with Retry-After", () =>
    Effect.gen(function* () {
      const apiServer = yield* startServer({
        flowControl: new MaxInFlight({ readonly: 0, mutating: 0, heartbeats: 1 })
      })
      const { ask } = apiServer
      yield* makeClusterAdmin(apiServer, "alice")
      const refused = yield* ask("GET", "/api/v1/nodes", { token: "alice" })
      assert.deepStrictEqual(
        [refused.code, refused.headers["retry-after"], refused.headers["content-type"], refused.body],
        [429, "1", "text/plain; charset=utf-8", "Too many requests, please try again later.\n"]
      )
      const leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases"
      assert.strictEqual((yield* ask("GET", leases, { token: "alice" })).code, 200)
      assert.strictEqual((yield* ask("GET", "/api/v1/nodes")).code, 200)
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )

  it.live("end when they are answered", () =>
    Effect.gen(function* () {
      const { ask } = yield* startServer({ flowControl: new MaxInFlight({ readonly: 1, mutating: 1, heartbeats: 1 }) })
      for (let times = 0; times < 5; times++) {
        assert.strictEqual((yield* ask("GET", "/api/v1/nodes", { token: "alice" })).code, 403)
      }
      const counted =
        /^apiserver_request_total\{code="(\d+)".*resource="nodes",scope="cluster",.*verb="LIST",.*\} (\d)$/m
      assert.notMatch((yield* ask("GET", "/metrics")).body, counted)
      for (let times = 0; times < 3; times++) yield* ask("GET", "/api/v1/nodes")
      assert.deepStrictEqual(counted.exec((yield* ask("GET", "/metrics")).body)?.slice(1), ["200", "3"])
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )
})
