import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { FlowRequest } from "../../src/http/flowcontrol/index.ts"
import { laneOf, MaxInFlight } from "../../src/http/flowcontrol/MaxInFlight.ts"
import { requestInfoOf } from "../../src/http/request/RequestInfo.ts"
import { startServer, wallClock } from "./startServer.ts"
import { makeClusterAdmin } from "./wire.ts"

const question = (method: string, path: string, groups = ["system:authenticated"]): FlowRequest => ({
  info: requestInfoOf(method, path, false),
  user: { user: "alice", groups },
  waitMs: 15_000,
  listLimit: undefined
})

const pods = "/api/v1/namespaces/default/pods"
const lease = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/n"

describe("requests in flight", () => {
  it("are counted by lane, so that heartbeats pass when everything else waits", () => {
    assert.strictEqual(laneOf(question("GET", `${pods}/a`)), "readonly")
    assert.strictEqual(laneOf(question("PATCH", `${pods}/a`)), "mutating")
    assert.strictEqual(laneOf(question("PATCH", "/api/v1/nodes/n/status")), "heartbeats")
    assert.strictEqual(laneOf(question("PUT", lease)), "heartbeats")
    assert.strictEqual(laneOf(question("DELETE", `${pods}/a`, ["system:masters"])), "exempt")
    assert.strictEqual(laneOf(question("GET", "/version")), "exempt")
  })

  it("are counted in and out, once", () => {
    const inFlight = new MaxInFlight({ readonly: 1, mutating: 1, heartbeats: 1 })
    const enter = (asked: FlowRequest) => {
      let answer = "waits"
      const place = inFlight.enter(asked, {
        start: () => {
          answer = "started"
        },
        refuse: (_, seconds) => {
          answer = `again in ${seconds} s`
        }
      })
      return { answer, place }
    }
    const first = enter(question("GET", pods))
    assert.strictEqual(first.answer, "started")
    assert.strictEqual(enter(question("GET", pods)).answer, "again in 1 s")
    assert.strictEqual(enter(question("POST", pods)).answer, "started")
    first.place.leave()
    first.place.leave()
    assert.strictEqual(enter(question("GET", pods)).answer, "started")
    assert.strictEqual(enter(question("GET", pods)).answer, "again in 1 s")
    for (let times = 0; times < 9; times++) assert.strictEqual(enter(question("GET", "/version")).answer, "started")
  })

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
