import type { ClientHttp2Stream } from "node:http2"
import { assert, describe, it } from "@effect/vitest"
import type { KubeObject } from "@rollcall/api"
import { makeVirtualTime } from "@rollcall/time"
import * as Effect from "effect/Effect"
import { defaultUnsentLimits, Unsent, type UnsentLimits } from "../../src/http/wire/Unsent.ts"
import { type RunningServer, startServer, wallClock } from "./startServer.ts"
import {
  askHttp2,
  CLUSTER_ROLE_BINDINGS,
  clusterAdminBinding,
  head,
  makeKeys,
  openHttp2Session,
  openWire,
  tlsOf
} from "./wire.ts"

const START = Date.UTC(2026, 0, 1)
const MIB = 1024 * 1024
const CONFIGMAPS = "/api/v1/namespaces/default/configmaps"
const ADMIN = { Authorization: "Bearer admin" }

const unsentOf = (limits: Partial<UnsentLimits> = {}) => {
  const time = makeVirtualTime(START)
  const unsent = new Unsent(time.timers, { ...defaultUnsentLimits, ...limits })
  const response = () => {
    const destroy = () => {
      made.destroyed = true
    }
    const made = { writableLength: 0, destroyed: false, destroy }
    return made
  }
  return { time, unsent, response }
}

describe("unread output", () => {
  it("is limited for a connection and for a user", () => {
    const { response, unsent } = unsentOf({ connectionBytes: 100, userBytes: 150 })
    const [first, second] = [{}, {}]
    const held = unsent.register(first, "alice", response(), 100)
    assert.isFalse(unsent.mayProduce(first, "alice"))
    assert.isTrue(unsent.mayProduce(second, "alice"))
    unsent.register(second, "alice", response(), 50)
    assert.isFalse(unsent.mayProduce({}, "alice"))
    assert.isTrue(unsent.mayProduce({}, "bob"))
    unsent.release(held)
    assert.isTrue(unsent.mayProduce(first, "alice"))
    assert.strictEqual(unsent.bytes, 50)
  })

  it("may reach twice the limit with small responses", () => {
    const { response, unsent } = unsentOf({ userBytes: 100 })
    unsent.register({}, "alice", response(), 199)
    assert.deepStrictEqual([unsent.mayProduce({}, "alice"), unsent.mayAnswer("alice")], [false, true])
    unsent.register({}, "alice", response(), 1)
    assert.deepStrictEqual([unsent.mayAnswer("alice"), unsent.mayAnswer("bob")], [false, true])
  })

  it("leaves room for users without any, however many users have much", () => {
    const { response, unsent } = unsentOf({ connectionBytes: 1000, userBytes: 1000, totalBytes: 1000 })
    unsent.register({}, "alice", response(), 499)
    assert.isTrue(unsent.mayProduce({}, "alice"))
    unsent.register({}, "alice", response(), 2)
    assert.isFalse(unsent.mayProduce({}, "alice"))
    unsent.register({}, "bob", response(), 400)
    assert.isFalse(unsent.mayProduce({}, "bob"))
    assert.isTrue(unsent.mayProduce({}, "carol"))
  })

  it("is dropped once none of it is read for a while, but not while some is", () => {
    const { response, unsent, time } = unsentOf()
    const [stalled, slow] = [response(), response()]
    const first = unsent.register({}, "alice", stalled, 1000)
    const second = unsent.register({}, "alice", slow, 1000)
    first.written = 1000
    second.written = 1000
    stalled.writableLength = 1000
    for (let left = 1000; left > 0; left -= 100) {
      slow.writableLength = left
      time.runUntil(time.timers.now() + 30_000)
    }
    assert.deepStrictEqual([stalled.destroyed, slow.destroyed, unsent.bytes], [true, false, 1000])
    time.runUntil(time.timers.now() + 65_000)
    assert.deepStrictEqual([slow.destroyed, unsent.bytes], [true, 0])
  })
})

/** By default some 10 MiB in all. */
const createConfigMaps = ({ server }: RunningServer, count = 500, size = 20 * 1024) => {
  const object = (index: number): KubeObject & { readonly data: object } => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: `c-${String(index).padStart(4, "0")}`, namespace: "default" },
    data: { text: "x".repeat(size) }
  })
  return Effect.orDie(server.restore(Array.from({ length: count }, (_, index) => object(index))))
}

const unsentBytes = ({ ask }: RunningServer) =>
  Effect.map(ask("GET", "/metrics"), ({ body }) => Number(/\nrollcall_unsent_bytes (\d+)/.exec(body)?.[1]))

const waitFor = (isSo: Effect.Effect<boolean>): Effect.Effect<void> =>
  Effect.flatMap(isSo, (is) => (is ? Effect.void : Effect.andThen(Effect.sleep("20 millis"), waitFor(isSo))))

/** A client that sends a request and does not read what comes. */
const openWithoutReading = (apiServer: RunningServer, request: string) =>
  Effect.tap(openWire(apiServer.port), ({ socket }) =>
    Effect.sync(() => {
      socket.pause()
      socket.write(request)
    })
  )

describe("over HTTP, a client that does not read", () => {
  it.live("gets all initial events of its watch, which are encoded as it reads", () =>
    Effect.gen(function* () {
      const apiServer = yield* startServer()
      yield* createConfigMaps(apiServer)
      const watchers = []
      for (let count = 0; count < 4; count++) {
        watchers.push(yield* openWithoutReading(apiServer, head("GET", `${CONFIGMAPS}?watch=1`, ADMIN)))
      }
      yield* waitFor(Effect.map(unsentBytes(apiServer), (bytes) => bytes > 0))
      yield* Effect.sleep("200 millis")
      assert.isBelow(yield* unsentBytes(apiServer), 4 * MIB)
      for (const { socket } of watchers) socket.resume()
      for (const { until } of watchers) yield* until(/"c-0499"/)
      for (const { received } of watchers) assert.strictEqual(received().match(/"type":"ADDED"/g)?.length, 500)
      yield* waitFor(Effect.map(unsentBytes(apiServer), (bytes) => bytes === 0))
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )

  it.live("gets only its share encoded for its watches, over however many streams, and all in the end", () =>
    Effect.gen(function* () {
      const pki = yield* makeKeys
      const apiServer = yield* startServer({ unsent: { connectionBytes: MIB, userBytes: MIB } }, undefined, {
        tls: tlsOf(pki)
      })
      yield* createConfigMaps(apiServer, 6, 300 * 1024)
      const own = yield* openHttp2Session(pki, apiServer)
      yield* askHttp2(own, "POST", CLUSTER_ROLE_BINDINGS, "admin", clusterAdminBinding("alice"))
      const session = yield* openHttp2Session(pki, apiServer)
      const streams: Array<ClientHttp2Stream> = []
      for (let count = 0; count < 20; count++) {
        const path = `${CONFIGMAPS}?watch=1`
        streams.push(session.request({ ":path": path, authorization: "Bearer alice" }, { endStream: true }))
      }
      const codes: Array<number> = []
      for (const stream of streams) {
        stream.on("response", (headers) => codes.push(Number(headers[":status"])))
        stream.on("error", () => {})
      }
      yield* waitFor(Effect.sync(() => codes.length === 20))
      yield* Effect.sleep("100 millis")
      const figures = yield* askHttp2(own, "GET", "/metrics", "admin")
      assert.isBelow(Number(/\nrollcall_unsent_bytes (\d+)/.exec(figures.body)?.[1]), 2 * MIB)
      let lines = 0
      const watching = codes.filter((code) => code === 200).length
      for (const stream of streams) {
        stream.on("data", (piece: Buffer) => {
          for (let at = piece.indexOf(10); at >= 0; at = piece.indexOf(10, at + 1)) lines++
        })
      }
      assert.isAbove(watching, 6)
      yield* waitFor(Effect.sync(() => lines === 6 * watching))
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )

  it.live("gets only its share encoded, over however many streams, and others are served", () =>
    Effect.gen(function* () {
      const pki = yield* makeKeys
      const unsent = { connectionBytes: 20 * MIB, userBytes: 20 * MIB }
      const apiServer = yield* startServer({ unsent }, undefined, { tls: tlsOf(pki) })
      yield* createConfigMaps(apiServer)
      const own = yield* openHttp2Session(pki, apiServer)
      yield* askHttp2(own, "POST", CLUSTER_ROLE_BINDINGS, "admin", clusterAdminBinding("alice"))
      const session = yield* openHttp2Session(pki, apiServer)
      const codes: Array<number> = []
      for (let count = 0; count < 40; count++) {
        // Nobody reads the stream.
        const stream = session.request({ ":path": CONFIGMAPS, authorization: "Bearer alice" })
        stream.on("response", (headers) => codes.push(Number(headers[":status"])))
        stream.on("error", () => {})
      }
      yield* waitFor(Effect.sync(() => codes.length === 40))
      const served = codes.filter((code) => code === 200).length
      assert.isAbove(served, 0)
      assert.isBelow(served, 10)
      assert.deepStrictEqual(new Set(codes), new Set([200, 429]))
      const figures = yield* askHttp2(own, "GET", "/metrics", "admin")
      assert.isBelow(Number(/\nrollcall_unsent_bytes (\d+)/.exec(figures.body)?.[1]), 60 * MIB)
      session.destroy()
      yield* waitFor(Effect.map(askHttp2(own, "GET", `${CONFIGMAPS}/c-0000`, "alice"), ({ code }) => code === 200))
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )

  it.live("has its requests cut off once there are too many small responses", () =>
    Effect.gen(function* () {
      const pki = yield* makeKeys
      const apiServer = yield* startServer({ unsent: { userBytes: 20 * 16 * 1024 } }, undefined, { tls: tlsOf(pki) })
      // The client has no room for the body of an answer.
      const session = yield* openHttp2Session(pki, apiServer, { initialWindowSize: 0 })
      let answered = 0
      let cut = 0
      for (let count = 0; count < 100; count++) {
        const stream = session.request({ ":path": "/livez" })
        stream.on("response", () => answered++)
        stream.on("error", () => {})
        stream.on("close", () => cut++)
      }
      yield* waitFor(Effect.sync(() => answered + cut === 100))
      assert.strictEqual(answered, 40)
      const own = yield* openHttp2Session(pki, apiServer)
      assert.strictEqual((yield* askHttp2(own, "GET", "/api/v1/nodes", "admin")).code, 200)
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )

  it.live("is cut off once it has read nothing for a while", () =>
    Effect.gen(function* () {
      const apiServer = yield* startServer({ unsent: { stallMs: 150, checkMs: 30 } })
      yield* createConfigMaps(apiServer)
      for (const path of [CONFIGMAPS, `${CONFIGMAPS}?watch=1`]) {
        yield* openWithoutReading(apiServer, head("GET", path, ADMIN))
        yield* waitFor(Effect.map(unsentBytes(apiServer), (bytes) => bytes > 0))
        yield* waitFor(Effect.map(unsentBytes(apiServer), (bytes) => bytes === 0))
      }
      const metrics = yield* apiServer.ask("GET", "/metrics")
      assert.notMatch(metrics.body, /apiserver_longrunning_requests\{/)
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )
})
