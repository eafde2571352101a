import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { InFlight, laneOf } from "../../src/http/InFlight.ts"
import { clock, live } from "./live.ts"
import { allow } from "./wire.ts"

const question = (verb: string, resource: string, more: object = {}) => ({
  verb,
  isResource: true,
  group: "",
  resource,
  subresource: "",
  groups: ["system:authenticated"],
  ...more
})

describe("requests in flight", () => {
  it("go by lanes, so that heartbeats pass when all else waits", () => {
    assert.strictEqual(laneOf(question("get", "pods")), "readonly")
    assert.strictEqual(laneOf(question("patch", "pods")), "mutating")
    assert.strictEqual(laneOf(question("patch", "nodes", { subresource: "status" })), "heartbeats")
    assert.strictEqual(laneOf(question("update", "leases", { group: "coordination.k8s.io" })), "heartbeats")
    assert.strictEqual(laneOf(question("delete", "pods", { groups: ["system:masters"] })), "exempt")
    assert.strictEqual(laneOf(question("get", "", { isResource: false })), "exempt")
  })

  it("are counted in and out", () => {
    const inFlight = new InFlight({ readonly: 1, mutating: 1, heartbeats: 1 })
    assert.isTrue(inFlight.enter("readonly"))
    assert.isFalse(inFlight.enter("readonly"))
    assert.isTrue(inFlight.enter("mutating"))
    inFlight.leave("readonly")
    assert.isTrue(inFlight.enter("readonly"))
    for (let times = 0; times < 9; times++) assert.isTrue(inFlight.enter("exempt"))
  })

  it.live("beyond the limit are told to come back", () =>
    Effect.gen(function* () {
      const world = yield* live({ inFlight: { readonly: 0, mutating: 0, heartbeats: 1 } })
      const { ask } = world
      yield* allow(world, "alice")
      const refused = yield* ask("GET", "/api/v1/nodes", { token: "alice" })
      assert.deepStrictEqual(
        [refused.code, refused.headers["retry-after"], refused.json.message, refused.json.details.retryAfterSeconds],
        [429, "1", "Too many requests, please try again later.", 1]
      )
      const leases = "/apis/coordination.k8s.io/v1/namespaces/default/leases"
      assert.strictEqual((yield* ask("GET", leases, { token: "alice" })).code, 200)
      assert.strictEqual((yield* ask("GET", "/api/v1/nodes")).code, 200)
    }).pipe(Effect.scoped, Effect.provide(clock))
  )

  it.live("leave when they are answered", () =>
    Effect.gen(function* () {
      const { ask } = yield* live({ inFlight: { readonly: 1, mutating: 1, heartbeats: 1 } })
      for (let times = 0; times < 5; times++) {
        assert.strictEqual((yield* ask("GET", "/api/v1/nodes", { token: "alice" })).code, 403)
      }
      const metrics = yield* ask("GET", "/metrics")
      assert.include(metrics.body, 'apiserver_current_inflight_requests{request_kind="readOnly"} 0')
      const counted = 'resource="nodes",scope="cluster",subresource="",verb="LIST",version="v1"} 5'
      assert.include(metrics.body, counted)
    }).pipe(Effect.scoped, Effect.provide(clock))
  )
})
