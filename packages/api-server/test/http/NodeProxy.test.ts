import { assert, describe, it } from "@effect/vitest"
import { Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { KubeletAddress, KubeletReply, KubeletRequest, KubeletTransportShape } from "../../src/http/index.ts"
import { type RunningServer, startServer, wallClock } from "./startServer.ts"
import { openWire } from "./wire.ts"

const PROXY = "/api/v1/nodes/n1/proxy"

const createNode = ({ ask }: RunningServer, name = "n1") =>
  ask("POST", "/api/v1/nodes", { body: { apiVersion: "v1", kind: "Node", metadata: { name } } }).pipe(
    Effect.andThen(
      ask("PUT", `/api/v1/nodes/${name}/status`, {
        body: {
          apiVersion: "v1",
          kind: "Node",
          metadata: { name },
          status: { addresses: [{ type: "InternalIP", address: "10.0.0.1" }] }
        }
      })
    )
  )

const kubeletAnswer = (code: number, body = "", contentType = "text/plain") =>
  Result.succeed({ code, contentType, body })

const onNode = { node: "n1", host: "10.0.0.1", scheme: "https", isForeignOnly: true } as const

interface Sent {
  readonly address: KubeletAddress
  readonly request: KubeletRequest
}

/** Answers as it is told, and keeps what it was asked. */
const makeTransport = (
  answer: (sent: Sent, reply: KubeletReply) => void = (_, reply) => reply(kubeletAnswer(200, "ok"))
) => {
  const sent: Array<Sent> = []
  let givenUp = 0
  const transport: KubeletTransportShape = {
    send: (address, request, reply) => {
      const asked = { address, request }
      sent.push(asked)
      answer(asked, reply)
      return () => {
        givenUp++
      }
    }
  }
  return { transport, sent, givenUp: () => givenUp }
}

const startServerWithTransport = (transport?: KubeletTransportShape) =>
  Effect.tap(startServer(transport === undefined ? {} : { kubelets: transport }), createNode)

const waitUntil = Effect.fnUntraced(function* (isSo: () => boolean) {
  const timers = yield* Timers
  while (!isSo()) yield* Effect.callback<void>((resume) => void timers.after(5, () => resume(Effect.void)))
})

const grantToAlice = (
  { ask }: RunningServer,
  resources: ReadonlyArray<string>,
  verbs: ReadonlyArray<string>,
  names?: ReadonlyArray<string>
) =>
  ask("POST", "/apis/rbac.authorization.k8s.io/v1/clusterroles", {
    body: {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRole",
      metadata: { name: "granted" },
      rules: [{ apiGroups: [""], resources, verbs, ...(names === undefined ? {} : { resourceNames: names }) }]
    }
  }).pipe(
    Effect.andThen(
      ask("POST", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", {
        body: {
          apiVersion: "rbac.authorization.k8s.io/v1",
          kind: "ClusterRoleBinding",
          metadata: { name: "granted" },
          roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "granted" },
          subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "alice" }]
        }
      })
    )
  )

describe("the proxy of a node", () => {
  it.live("forwards a request to the kubelet, and its response to the client", () =>
    Effect.gen(function* () {
      const { sent, transport } = makeTransport((_, reply) =>
        reply(Result.succeed({ code: 418, contentType: "text/x-tea", body: Buffer.from("short and stout") }))
      )
      const { ask } = yield* startServerWithTransport(transport)
      const got = yield* ask("GET", `${PROXY}/stats/summary?a=1&a=2&path=%2Fother`)
      assert.deepStrictEqual([got.code, got.headers["content-type"], got.body], [418, "text/x-tea", "short and stout"])
      yield* ask("POST", "/api/v1/nodes/https:n1:443/proxy", { body: "a=1", headers: { "content-type": "text/plain" } })
      assert.deepStrictEqual(
        sent.map(({ address, request }) => [
          address,
          request.method,
          request.path,
          Buffer.from(request.body).toString()
        ]),
        [
          [{ ...onNode, port: 10_250, isKubelet: true }, "GET", "/stats/summary", ""],
          [{ ...onNode, port: 443, isKubelet: false }, "POST", "/", "a=1"]
        ]
      )
      assert.deepStrictEqual(
        [...(sent[0]?.request.query ?? [])],
        [
          ["a", ["1", "2"]],
          ["path", ["/other"]]
        ]
      )
      const head = yield* ask("HEAD", `${PROXY}/x`)
      assert.deepStrictEqual([head.code, head.body], [418, ""])
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )

  it.live("reports why the kubelet cannot be reached", () =>
    Effect.gen(function* () {
      const { transport } = makeTransport((_, reply) => reply(Result.fail("dial tcp 10.0.0.1:10250: i/o timeout")))
      const { ask } = yield* startServerWithTransport(transport)
      const { code, json } = yield* ask("GET", `${PROXY}/stats/summary`)
      assert.strictEqual(code, 503)
      assert.deepInclude(json, {
        kind: "Status",
        reason: "ServiceUnavailable",
        message: "error trying to reach service: dial tcp 10.0.0.1:10250: i/o timeout"
      })
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )

  it.live("without a kubelet transport reports that no kubelet can be reached", () =>
    Effect.gen(function* () {
      const { ask } = yield* startServerWithTransport()
      const { code, json } = yield* ask("GET", `${PROXY}/stats/summary`)
      assert.strictEqual(code, 503)
      assert.match(
        json.message,
        /^error trying to reach service: dial tcp 10\.0\.0\.1:10250: .*reaches only kubelets of its own process$/
      )
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )

  it.live("leaves it to the kubelet whether a connection changes its protocol", () =>
    Effect.gen(function* () {
      const { sent, transport } = makeTransport()
      const { ask } = yield* startServerWithTransport(transport)
      const headers = { connection: "Upgrade", upgrade: "websocket" }
      const { code, json } = yield* ask("GET", `${PROXY}/x`, { headers })
      assert.deepStrictEqual([code, json.message], [500, "invalid upgrade response: status code 200"])
      assert.deepStrictEqual([sent[0]?.request.path, sent[0]?.request.upgrade], ["/x", "websocket"])
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )

  it.live("refuses unsupported requests", () =>
    Effect.gen(function* () {
      const { sent, transport } = makeTransport()
      const { ask } = yield* startServerWithTransport(transport)
      const refusalOf = (method: string, path: string, headers = {}) =>
        Effect.map(ask(method, path, { headers }), ({ code, json }) => `${code} ${json?.message}`)
      assert.strictEqual(yield* refusalOf("GET", "/api/v1/nodes/n2/proxy/x"), '404 nodes "n2" not found')
      assert.strictEqual(yield* refusalOf("GET", `${PROXY}/x?dryRun=All`), "400 dryRun is not supported")
      assert.strictEqual(yield* refusalOf("GET", "/api/v1/nodes/n1:x/proxy/x"), '400 invalid node request "n1:x"')
      for (const path of [
        "/api/v1/namespaces/default/nodes/n1/proxy/x",
        "/api/v1/watch/nodes/n1/proxy/x",
        "/api/v1/nodes/n1/status/x",
        "/api/v1/nodes/n1/proxyx/x"
      ]) {
        assert.match(yield* refusalOf("GET", path), /^404 the server could not find the requested resource/)
      }
      assert.match(yield* refusalOf("PROPFIND", `${PROXY}/x`), /^405/)
      const { code, headers } = yield* ask("GET", `${PROXY}?a=b`)
      assert.deepStrictEqual([code, headers.location], [301, `${PROXY}/?a=b`])
      assert.deepStrictEqual(sent, [])
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )

  it.live("is listed in discovery as by a genuine server", () =>
    Effect.gen(function* () {
      const { ask } = yield* startServer()
      const { json } = yield* ask("GET", "/api/v1")
      assert.deepStrictEqual(
        json.resources.find(({ name }: { readonly name: string }) => name === "nodes/proxy"),
        {
          name: "nodes/proxy",
          singularName: "",
          namespaced: false,
          kind: "NodeProxyOptions",
          verbs: ["create", "delete", "get", "patch", "update"]
        }
      )
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )

  it.live("passes a kubelet's redirect on to the client, and survives one that breaks off", () =>
    Effect.gen(function* () {
      const { transport } = makeTransport(({ request }, reply) => {
        if (request.path === "/throw") throw new Error("on purpose")
        if (request.path === "/late") setImmediate(() => reply(kubeletAnswer(200, "x", "bad\r\nheader: 1")))
        else reply(Result.succeed({ code: 302, contentType: "text/plain", body: "", headers: { Location: "/x/?a=1" } }))
        reply(kubeletAnswer(200, "a second answer"))
      })
      const apiServer = yield* startServer({ kubelets: transport, timers: yield* timersThatIgnoreErrors }).pipe(
        Effect.tap(createNode)
      )
      const { ask } = apiServer
      const redirected = yield* ask("GET", `${PROXY}/x`)
      assert.deepStrictEqual([redirected.code, redirected.headers.location], [302, `${PROXY}/x/?a=1`])
      assert.strictEqual((yield* ask("GET", `${PROXY}/throw`)).code, 500)
      assert.strictEqual((yield* ask("GET", `${PROXY}/late`)).body, "a second answer")
      assert.strictEqual(yield* gauge(apiServer, "rollcall_proxied_requests"), 0)
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )
})

const gauge = ({ ask }: RunningServer, name: string) =>
  Effect.map(ask("GET", "/metrics"), ({ body }) => Number(new RegExp(`^${name} (\\S+)$`, "m").exec(body)?.[1]))

/** What is thrown on purpose is not told. */
const timersThatIgnoreErrors = Effect.map(Timers, (timers) => ({ ...timers, handleError: () => {} }))

describe("who may use the proxy of a node", () => {
  it.live("needs nodes/proxy, with the verb of the method; nodes is not enough", () =>
    Effect.gen(function* () {
      const { sent, transport } = makeTransport()
      const apiServer = yield* startServerWithTransport(transport)
      const { ask } = apiServer
      const get = (path = `${PROXY}/stats/summary`, method = "GET") => ask(method, path, { token: "alice" })
      yield* grantToAlice(apiServer, ["nodes", "nodes/status", "nodes/stats"], ["*"])
      assert.strictEqual((yield* get("/api/v1/nodes/n1")).code, 200)
      const refused = yield* get()
      assert.strictEqual(refused.code, 403)
      assert.strictEqual(
        refused.json.message,
        'nodes "n1" is forbidden: User "alice" cannot get resource "nodes/proxy" in API group "" at the cluster scope'
      )
      // Whether a node is there is not told either.
      assert.strictEqual((yield* get("/api/v1/nodes/n2/proxy/x")).code, 403)
      assert.strictEqual((yield* get(`${PROXY}/../../n1`)).code, 403)
      assert.strictEqual((yield* get(`${PROXY}/x`, "POST")).code, 403)
      assert.deepStrictEqual(sent, [])
      assert.strictEqual((yield* ask("GET", `${PROXY}/x`, { token: "" })).code, 403)
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )

  it.live("is granted by method and by the name in the path", () =>
    Effect.gen(function* () {
      const { sent, transport } = makeTransport()
      const apiServer = yield* startServerWithTransport(transport)
      yield* grantToAlice(apiServer, ["nodes/proxy"], ["get"], ["n1"])
      const code = (method: string, id = "n1") =>
        Effect.map(apiServer.ask(method, `/api/v1/nodes/${id}/proxy/x`, { token: "alice" }), (answer) => answer.code)
      assert.deepStrictEqual(
        [yield* code("GET"), yield* code("HEAD"), yield* code("POST"), yield* code("PUT"), yield* code("DELETE")],
        [200, 200, 403, 403, 403]
      )
      assert.deepStrictEqual([yield* code("GET", "n1:10250"), yield* code("GET", "https:n1:10250")], [403, 403])
      assert.strictEqual(sent.length, 2)
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )

  it.live("does not include a node, not even for itself", () =>
    Effect.gen(function* () {
      const { sent, transport } = makeTransport()
      const { ask } = yield* startServerWithTransport(transport)
      const headers = { "impersonate-user": "system:node:n1", "impersonate-group": "system:nodes" }
      const { code, json } = yield* ask("GET", `${PROXY}/stats/summary`, { headers })
      assert.strictEqual(code, 403)
      assert.include(json.message, 'User "system:node:n1" cannot get resource "nodes/proxy"')
      assert.deepStrictEqual(sent, [])
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )
})

describe("attacks on the proxy of a node", () => {
  it.live("with odd names, paths and queries get a response", () =>
    Effect.gen(function* () {
      const { sent, transport } = makeTransport()
      const { ask } = yield* startServerWithTransport(transport)
      const code = (path: string) => Effect.map(ask("GET", path), (answer) => answer.code)
      for (const id of [
        "..",
        "%2e%2e",
        "__proto__",
        "n1%2F",
        "%00",
        "a".repeat(5_000),
        "n1%0d%0aX:1",
        "n1:",
        ":",
        "[::1]"
      ]) {
        assert.include([400, 404, 200], yield* code(`/api/v1/nodes/${id}/proxy/x`), id)
      }
      const asked = sent.length
      assert.strictEqual(yield* code(`${PROXY}/%2e%2e/%2e%2e/%2e%2e/etc/passwd`), 200)
      assert.strictEqual(yield* code(`${PROXY}${"/..".repeat(5_000)}/x`), 200)
      assert.strictEqual(yield* code(`${PROXY}/${"a/".repeat(5_000)}`), 200)
      assert.strictEqual(yield* code(`${PROXY}/x?${"a=&".repeat(10_000)}`), 200)
      assert.deepStrictEqual(
        sent.slice(asked).map(({ request }) => request.path.length),
        ["/etc/passwd".length, 2, 10_001, 2]
      )
      const { code: moved, headers } = yield* ask("GET", "/api/v1/nodes/n1/proxy?%0d%0aSet-Cookie:a")
      assert.deepStrictEqual([moved, headers["set-cookie"]], [301, undefined])
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )

  it.live("that wait are limited, and leave the server to others", () =>
    Effect.gen(function* () {
      const replies: Array<KubeletReply> = []
      const { givenUp, transport } = makeTransport((_, reply) => void replies.push(reply))
      const apiServer = yield* startServer({ kubelets: transport, fair: { seats: 60 } }).pipe(Effect.tap(createNode))
      yield* grantToAlice(apiServer, ["nodes/proxy", "nodes"], ["get"])
      const head = `GET ${PROXY}/x HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer alice\r\n\r\n`
      const waiting = yield* Effect.forEach(Array.from({ length: 100 }), () => openWire(apiServer.port, head))
      yield* waitUntil(() => replies.length === 100)
      // As many as one user may have. They hold no seat: other requests of the same flow are served.
      const code = (path: string, token?: string) =>
        Effect.map(apiServer.ask("GET", path, token === undefined ? {} : { token }), (answer) => answer.code)
      assert.strictEqual(yield* code(`${PROXY}/x`, "alice"), 429)
      assert.strictEqual(yield* code("/api/v1/nodes/n1", "alice"), 200)
      assert.strictEqual(yield* gauge(apiServer, "rollcall_proxied_requests"), 100)
      replies[0]?.(kubeletAnswer(200, "at last"))
      assert.strictEqual(yield* gauge(apiServer, "rollcall_proxied_requests"), 99)
      for (const { socket } of waiting) socket.destroy()
      yield* waitUntil(() => givenUp() === 99)
      replies[1]?.(kubeletAnswer(200, "too late"))
      assert.strictEqual(yield* gauge(apiServer, "rollcall_proxied_requests"), 0)
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )

  it.live("that do not read a large response are counted, and cut off", () =>
    Effect.gen(function* () {
      const large = "x".repeat(16 << 20)
      const { sent, transport } = makeTransport((_, reply) => reply(kubeletAnswer(200, large)))
      const apiServer = yield* startServer({ kubelets: transport, unsent: { stallMs: 500, checkMs: 50 } }).pipe(
        Effect.tap(createNode)
      )
      const head = `GET ${PROXY}/x HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer admin\r\n\r\n`
      const stalled = yield* openWire(apiServer.port)
      stalled.socket.pause()
      stalled.socket.write(head)
      yield* waitUntil(() => sent.length === 1)
      // The page of metrics counts too, while it is sent.
      while ((yield* gauge(apiServer, "rollcall_unsent_bytes")) > large.length / 2) yield* Effect.yieldNow
      stalled.socket.resume()
      yield* stalled.closed
      assert.isBelow(stalled.received().length, large.length)
      const { bytes } = yield* apiServer.ask("GET", `${PROXY}/x`)
      assert.strictEqual(bytes.length, large.length)
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )
})

describe("a stream of a pod", () => {
  const pod = (name: string, nodeName: string) => ({
    metadata: { name },
    spec: { nodeName, automountServiceAccountToken: false, containers: [{ name: "c", image: "i" }] }
  })
  const upgrade = { headers: { connection: "Upgrade", upgrade: "SPDY/3.1" } }

  it.live("is refused in the words of the kubelet", () =>
    Effect.gen(function* () {
      const answers = [501, 200].map((code) => ({ code, contentType: "text/plain", body: "no processes" }))
      const { transport } = makeTransport((_, reply) => reply(Result.succeed(answers.shift() as never)))
      const { ask } = yield* startServerWithTransport(transport)
      yield* ask("POST", "/api/v1/namespaces/default/serviceaccounts", { body: { metadata: { name: "default" } } })
      yield* ask("POST", "/api/v1/namespaces/default/pods", { body: pod("p", "n1") })
      const exec = ask("POST", "/api/v1/namespaces/default/pods/p/exec?command=ls", upgrade)
      const refused = yield* exec
      assert.deepStrictEqual([refused.code, refused.body], [501, "no processes"])
      const odd = yield* exec
      assert.deepStrictEqual([odd.code, odd.json.message], [500, "invalid upgrade response: status code 200"])
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )

  it.live("is asked of the pod's kubelet", () =>
    Effect.gen(function* () {
      const refused = "dial tcp 10.0.0.1:10250: connect: connection refused"
      const { sent, transport } = makeTransport((_, reply) => reply(Result.fail(refused)))
      const { ask } = yield* startServerWithTransport(transport)
      yield* ask("POST", "/api/v1/namespaces/default/serviceaccounts", { body: { metadata: { name: "default" } } })
      yield* ask("POST", "/api/v1/namespaces/default/pods", { body: pod("p", "n1") })
      yield* ask("POST", "/api/v1/namespaces/default/pods", { body: pod("q", "gone") })
      const answer = (path: string, options = {}) =>
        Effect.map(ask("POST", `/api/v1/namespaces/default/pods/${path}`, options), ({ code, json }) => [
          code,
          json.message
        ])
      assert.deepStrictEqual(yield* answer("p/exec?command=ls"), [400, "Upgrade request required"])
      assert.lengthOf(sent, 0)
      assert.deepStrictEqual(yield* answer("p/exec?command=ls", upgrade), [500, `error dialing backend: ${refused}`])
      assert.deepStrictEqual(yield* answer("p/portforward", upgrade), [500, `error dialing backend: ${refused}`])
      assert.deepStrictEqual(
        sent.map(({ request }) => request.path),
        ["/exec/default/p/c", "/portForward/default/p"]
      )
      assert.deepStrictEqual(yield* answer("q/exec?command=ls", upgrade), [404, 'pods "gone" not found'])
      assert.deepStrictEqual(
        (yield* ask("GET", "/api/v1/namespaces/default/pods/q/log")).json.message,
        'pods "gone" not found'
      )
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )
})

describe("the log of a pod", () => {
  it.live("is asked of the kubelet with the options alone, whose errors keep their code and words", () =>
    Effect.gen(function* () {
      const answers = [
        Result.succeed({ code: 200, contentType: "text/plain", body: "a line" }),
        Result.succeed({ code: 400, contentType: "text/plain", body: "not yet" }),
        Result.succeed({ code: 404, contentType: "text/plain", body: "no such" }),
        Result.succeed({ code: 502, contentType: "text/plain", body: "gone" }),
        Result.fail("dial tcp: no route")
      ]
      const { sent, transport } = makeTransport((_, reply) => reply(answers.shift() as never))
      const { ask } = yield* startServerWithTransport(transport)
      yield* ask("POST", "/api/v1/namespaces/default/serviceaccounts", { body: { metadata: { name: "default" } } })
      const pod = {
        metadata: { name: "p" },
        spec: { nodeName: "n1", automountServiceAccountToken: false, containers: [{ name: "c", image: "i" }] }
      }
      yield* ask("POST", "/api/v1/namespaces/default/pods", { body: pod })
      const query =
        "timestamps=1&tailLines=%2B7&sinceTime=2026-01-01T02:00:00%2B01:00&previous=false&pretty=1&container=c"
      const log = ask("GET", `/api/v1/namespaces/default/pods/p/log?${query}`)
      assert.strictEqual((yield* log).body, "a line")
      assert.deepStrictEqual(Array.from(sent[0]?.request.query ?? []), [
        ["sinceTime", ["2026-01-01T01:00:00Z"]],
        ["tailLines", ["7"]],
        ["timestamps", ["true"]]
      ])
      const failed = Effect.map(log, ({ code, json: { details, message, reason } }) => [code, reason, message, details])
      assert.deepStrictEqual(yield* failed, [400, "BadRequest", "not yet", undefined])
      const details = { kind: "pods/log", name: "p" }
      const missing = "the server could not find the requested resource ( pods/log p)"
      assert.deepStrictEqual(yield* failed, [404, "NotFound", missing, details])
      const broken = 'an error on the server ("gone") has prevented the request from succeeding ( pods/log p)'
      assert.deepStrictEqual(yield* failed, [502, "InternalError", broken, details])
      const options = "sinceTime=2026-01-01T01%3A00%3A00Z&tailLines=7&timestamps=true"
      const [, , message] = yield* failed
      assert.match(String(message), /^Get "https:\/\/[^/]+\/containerLogs\/default\/p\/c\?/)
      assert.include(message, `?${options}": dial tcp: no route`)
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )
})
