import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { type RunningServer, startServer, wallClock } from "./startServer.ts"
import { head, makeClusterAdmin, openWire } from "./wire.ts"

const CONFIGMAPS = "/api/v1/namespaces/default/configmaps"
const leaseOf = (name: string) => `/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/${name}`

const impersonationHeaders = (user: string, ...groups: ReadonlyArray<string>) => ({
  "impersonate-user": user,
  "impersonate-group": [...groups, "system:authenticated"]
})

const impersonateNode = (name: string) => ({ headers: impersonationHeaders(`system:node:${name}`, "system:nodes") })

const uidsOf = ({ ask }: RunningServer, resource: string, name: string) =>
  Effect.map(
    ask("GET", `/apis/flowcontrol.apiserver.k8s.io/v1/${resource}/${name}`),
    ({ json }) => json.metadata.uid as string
  )

/** A connection that always has `depth` requests under way; counts the answers. */
const flood = (port: number, token: string, depth: number, counts: { answers: number }) =>
  Effect.gen(function* () {
    const request = head("GET", CONFIGMAPS, { Authorization: `Bearer ${token}` })
    const { socket } = yield* openWire(port, request.repeat(depth))
    socket.on("data", (chunk) => {
      const found = chunk.toString("latin1").split("HTTP/1.1 ").length - 1
      counts.answers += found
      if (found > 0 && !socket.destroyed) socket.write(request.repeat(found))
    })
  })

describe("API Priority and Fairness", () => {
  it.live("serves heartbeats and leader election during one user's flood", () =>
    Effect.gen(function* () {
      // A turn of one request: what is counted does not depend on how fast the machine is.
      const apiServer = yield* startServer({ fair: { turnMs: 0.001, seats: 40 } })
      const { ask, port } = apiServer
      yield* makeClusterAdmin(apiServer, "alice")
      for (let index = 0; index < 20; index++)
        yield* ask("POST", CONFIGMAPS, { body: { metadata: { name: `c${index}` } } })
      const names = ["n-1", "n-2", "n-3"]
      for (const name of names) {
        const body = { metadata: { name }, spec: { holderIdentity: name, leaseDurationSeconds: 40 } }
        yield* ask("POST", leaseOf("").slice(0, -1), { ...impersonateNode(name), body })
      }
      const counts = { answers: 0 }
      for (let connection = 0; connection < 20; connection++) yield* flood(port, "alice", 20, counts)
      while (counts.answers < 100) yield* Effect.sleep("5 millis")
      const before = counts.answers
      const rounds = 10
      for (let round = 0; round < rounds; round++) {
        for (const name of names) {
          const found = yield* ask("GET", leaseOf(name), impersonateNode(name))
          const { metadata, spec } = found.json
          const body = { metadata, spec: { ...spec, renewTime: `2026-01-01T00:00:${10 + round}.000000Z` } }
          assert.strictEqual((yield* ask("PUT", leaseOf(name), { ...impersonateNode(name), body })).code, 200)
        }
        const leader = leaseOf("none").replace("kube-node-lease", "kube-system")
        assert.strictEqual(
          (yield* ask("GET", leader, { headers: impersonationHeaders("system:kube-scheduler") })).code,
          404
        )
      }
      // Seventy requests one after another: first come first served, each would wait for the twenty of each connection.
      assert.isBelow(counts.answers - before, 70 * 100)
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )

  it.live("sends the flow schema and the priority level of a request in headers, refused or not", () =>
    Effect.gen(function* () {
      const apiServer = yield* startServer({ fair: {} })
      const uids = [
        yield* uidsOf(apiServer, "flowschemas", "global-default"),
        yield* uidsOf(apiServer, "prioritylevelconfigurations", "global-default")
      ]
      const refused = yield* apiServer.ask("GET", CONFIGMAPS, { token: "alice" })
      const { "x-kubernetes-pf-flowschema-uid": schema, "x-kubernetes-pf-prioritylevel-uid": level } = refused.headers
      assert.deepStrictEqual([refused.code, schema, level], [403, ...uids])
      const unknown = yield* apiServer.ask("GET", CONFIGMAPS, { token: "nobody" })
      assert.deepStrictEqual([unknown.code, unknown.headers["x-kubernetes-pf-flowschema-uid"]], [401, undefined])
      // Impersonation precedes flow control, and requests that last as long as their client wants are outside of it.
      const headers = impersonationHeaders("bob")
      const impersonating = yield* apiServer.ask("GET", CONFIGMAPS, { token: "alice", headers })
      assert.deepStrictEqual(
        [impersonating.code, impersonating.headers["x-kubernetes-pf-flowschema-uid"]],
        [403, undefined]
      )
      const log = yield* apiServer.ask("GET", "/api/v1/namespaces/default/pods/p/log", { token: "alice" })
      assert.deepStrictEqual([log.code, log.headers["x-kubernetes-pf-flowschema-uid"]], [403, undefined])
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )

  it.live("refuses as genuine servers do, and counts it", () =>
    Effect.gen(function* () {
      const apiServer = yield* startServer({ fair: {} })
      const { ask } = apiServer
      yield* makeClusterAdmin(apiServer, "alice")
      const spec = {
        type: "Limited",
        limited: {
          nominalConcurrencyShares: 0,
          borrowingLimitPercent: 0,
          limitResponse: { type: "Queue", queuing: { queues: 1, handSize: 1, queueLengthLimit: 1 } }
        }
      }
      const base = "/apis/flowcontrol.apiserver.k8s.io/v1"
      yield* ask("POST", `${base}/prioritylevelconfigurations`, { body: { metadata: { name: "none" }, spec } })
      const rules = [
        {
          subjects: [{ kind: "User", user: { name: "alice" } }],
          resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"], namespaces: ["*"] }]
        }
      ]
      const schema = { priorityLevelConfiguration: { name: "none" }, matchingPrecedence: 5, rules }
      yield* ask("POST", `${base}/flowschemas`, { body: { metadata: { name: "none" }, spec: schema } })
      // It waits for a fourth of its time.
      const refused = yield* ask("GET", `${CONFIGMAPS}?timeout=200ms`, { token: "alice" })
      assert.deepStrictEqual(
        [refused.code, refused.headers["retry-after"], refused.body],
        [429, "1", "Too many requests, please try again later.\n"]
      )
      const { body } = yield* ask("GET", "/metrics")
      const labels = 'flow_schema="none",priority_level="none"'
      assert.include(body, `apiserver_flowcontrol_rejected_requests_total{${labels},reason="time-out"} 1`)
      assert.include(body, `apiserver_flowcontrol_dispatched_requests_total{${labels}} 0`)
      assert.include(body, 'apiserver_flowcontrol_nominal_limit_seats{priority_level="node-high"} 98')
      assert.include(body, `apiserver_flowcontrol_request_wait_duration_seconds_count{execute="false",${labels}} 1`)
      const page = yield* ask("GET", "/debug/api_priority_and_fairness/dump_priority_levels")
      assert.match(page.body, /^PriorityLevelName, ActiveQueues, /)
      assert.match(page.body, /\nnone, +0, +true, +false, +0, +0, +0, +1, +0, +1\n/)
      assert.match(
        (yield* ask("GET", "/debug/api_priority_and_fairness/dump_queues")).body,
        /^PriorityLevelName, Index, /
      )
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )
})

describe("requests on one connection", () => {
  it.live("are served one after another, in their order", () =>
    Effect.gen(function* () {
      const { port } = yield* startServer({ fair: {} })
      const paths = ["/version", "/healthz", "/readyz", "/version"]
      const authorization = { Authorization: "Bearer admin" }
      const { until } = yield* openWire(port, paths.map((path) => head("GET", path, authorization)).join(""))
      const received = yield* until(/(?:HTTP\/1\.1 200[\s\S]*){4}\}$/)
      assert.deepStrictEqual(
        received
          .split("HTTP/1.1 200 OK")
          .slice(1)
          .map((answer) => (answer.includes("gitVersion") ? "version" : "ok")),
        ["version", "ok", "ok", "version"]
      )
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )
})
