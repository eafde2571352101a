import { type ConnectionOptions, connect as connectTls, type TLSSocket } from "node:tls"
import { assert, describe, it } from "@effect/vitest"
import { makeVirtualTime } from "@rollcall/time"
import * as Effect from "effect/Effect"
import {
  type Connection,
  type ConnectionLimits,
  Connections,
  defaultConnectionLimits
} from "../../src/http/wire/Connections.ts"
import { type RunningServer, startServer, wallClock } from "./startServer.ts"
import { askHttp2, head, makeKeys, openHttp2Session, openWire, tlsOf } from "./wire.ts"

const START = Date.UTC(2026, 0, 1)

const connectionsOf = (limits: Partial<ConnectionLimits> = {}) => {
  const time = makeVirtualTime(START)
  const connections = new Connections(time.timers, { ...defaultConnectionLimits, ...limits })
  const ended: Array<string> = []
  const open = (name: string): Connection => {
    const closer = { destroy: () => ended.push(`${name} destroyed`), close: () => ended.push(`${name} closed`) }
    const connection = connections.add(closer)
    connections.bind(connection, connection, closer)
    return connection
  }
  const identified = (name: string, user: string): Connection => {
    const connection = open(name)
    connections.startRequest(connection)
    connections.setUser(connection, user)
    return connection
  }
  return { time, connections, ended, open, identified }
}

describe("connections", () => {
  it("end when they are idle, and sooner before the first request's headers", () => {
    const { connections, ended, identified, open, time } = connectionsOf()
    open("silent")
    const idle = identified("idle", "alice")
    identified("watching", "alice")
    connections.endRequest(idle)
    time.runUntil(START + 31_000)
    assert.deepStrictEqual(ended, [])
    time.runUntil(START + 40_000)
    assert.deepStrictEqual(ended, ["silent destroyed"])
    time.runUntil(START + 96_000)
    assert.deepStrictEqual(ended, ["silent destroyed", "idle closed"])
    connections.remove(idle)
    time.runUntil(START + 3_600_000)
    assert.deepStrictEqual([ended.length, connections.size], [2, 1])
  })

  it("without an identity are closed for new ones, the oldest first", () => {
    const { connections, ended, identified, open } = connectionsOf({ unidentified: 2 })
    identified("known", "alice")
    open("a")
    open("b")
    open("c")
    assert.deepStrictEqual([ended, connections.size, connections.unidentifiedSize], [["a destroyed"], 3, 2])
  })

  it("beyond the limit are closed: unidentified ones, idle ones, then those of the user with the most", () => {
    const { connections, ended, identified, open } = connectionsOf({ most: 4, unidentified: 4 })
    identified("alice-1", "alice")
    identified("alice-2", "alice")
    connections.endRequest(identified("bob-idle", "bob"))
    open("unidentified")
    identified("bob-1", "bob")
    identified("bob-2", "bob")
    identified("carol", "carol")
    assert.deepStrictEqual(ended, ["unidentified destroyed", "bob-idle destroyed", "alice-1 destroyed"])
    assert.strictEqual(connections.size, 4)
  })

  it("beyond the limit leave the few in peace that are about to say who they are", () => {
    const { connections, ended, identified, open, time } = connectionsOf({ most: 4 })
    for (const name of ["a1", "a2", "a3"]) identified(name, "alice")
    const bob = open("bob")
    time.runUntil(START + 20_000)
    connections.endRequest(identified("a4", "alice"))
    identified("a5", "alice")
    identified("a6", "alice")
    assert.deepStrictEqual(ended, ["a1 destroyed", "a4 destroyed", "a2 destroyed"])
    connections.startRequest(bob)
    connections.setUser(bob, "bob")
    identified("a7", "alice")
    assert.notInclude(ended, "bob destroyed")
  })
})

const shortTimes = { headerMs: 100, idleMs: 150, checkMs: 30 }

const waitFor = (isSo: () => boolean): Effect.Effect<void> =>
  Effect.suspend(() => (isSo() ? Effect.void : Effect.andThen(Effect.sleep("10 millis"), waitFor(isSo))))

const startTlsServer = (options: Parameters<typeof startServer>[0] = {}) =>
  Effect.gen(function* () {
    const pki = yield* makeKeys
    return { pki, apiServer: yield* startServer(options, undefined, { tls: tlsOf(pki) }) }
  })

/** A TLS connection of its own; what comes of one GET on it. */
const overTls = (
  { port }: RunningServer,
  options: ConnectionOptions,
  path: string,
  headers: Readonly<Record<string, string>> = {}
) =>
  Effect.callback<string>((resume) => {
    let received = ""
    const socket: TLSSocket = connectTls({ port, host: "127.0.0.1", ...options }, () =>
      socket.write(head("GET", path, { Connection: "close", ...headers }))
    )
    socket.on("data", (chunk: Buffer) => {
      received += chunk.toString()
    })
    socket.on("error", () => {})
    socket.on("close", () => resume(Effect.succeed(received)))
  })

describe("connections over sockets", () => {
  it.live("without a request, and with half of its headers, end", () =>
    Effect.gen(function* () {
      const apiServer = yield* startServer({ connections: shortTimes })
      const silent = yield* openWire(apiServer.port)
      const half = yield* openWire(apiServer.port, "GET /livez HTTP/1.1\r\nHost: x\r\nX-Half: ")
      yield* silent.closed
      yield* half.closed
      assert.strictEqual((yield* apiServer.ask("GET", "/livez")).body, "ok")
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )

  it.live("over HTTP/2 end without a request, and idle, while a quiet watch survives every time limit", () =>
    Effect.gen(function* () {
      const { apiServer, pki } = yield* startTlsServer({
        connections: { headerMs: 400, idleMs: 400, checkMs: 30 },
        // Shorter than the watch is quiet, and long enough for a busy machine to read an answer.
        bodies: { graceMs: 400, deadlineMs: 400, discardMs: 400, checkMs: 20 },
        unsent: { stallMs: 400, checkMs: 20 }
      })
      const path = "/api/v1/namespaces/default/configmaps"
      const authorization = "Bearer admin"
      const [silent, idle, watching] = [
        yield* openHttp2Session(pki, apiServer),
        yield* openHttp2Session(pki, apiServer),
        yield* openHttp2Session(pki, apiServer)
      ]
      assert.strictEqual((yield* askHttp2(idle, "GET", "/livez")).body, "ok")
      let output = ""
      let isOver = false
      const stream = watching.request({ ":path": `${path}?watch=1`, authorization })
      stream.on("data", (chunk: Buffer) => {
        output += chunk.toString()
      })
      stream.on("close", () => {
        isOver = true
      })
      yield* waitFor(() => silent.closed && idle.closed)
      yield* Effect.sleep("500 millis")
      assert.isFalse(isOver)
      assert.strictEqual((yield* askHttp2(watching, "GET", "/livez")).body, "ok")
      yield* create(apiServer, "a")
      yield* waitFor(() => output.includes('"name":"a"'))
      assert.isFalse(isOver)
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )

  it.live("that hang in their handshake, or are silent, block no others", () =>
    Effect.gen(function* () {
      const { apiServer, pki } = yield* startTlsServer({ connections: { unidentified: 8 } })
      const before = []
      for (let count = 0; count < 30; count++) before.push(yield* openWire(apiServer.port, "\u0016\u0003"))
      yield* (before[0] as { readonly closed: Effect.Effect<void> }).closed
      const answer = yield* overTls(apiServer, { ca: pki.authorityPem }, "/livez")
      assert.match(answer, /ok$/)
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )

  it.live("at the limit leave room for a new one", () =>
    Effect.gen(function* () {
      const apiServer = yield* startServer({ connections: { most: 8 } })
      const watch = head("GET", "/api/v1/nodes?watch=1", { Authorization: "Bearer admin" })
      for (let count = 0; count < 20; count++) yield* (yield* openWire(apiServer.port, watch)).until(/200 OK/)
      assert.strictEqual((yield* apiServer.ask("GET", "/livez")).body, "ok")
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )

  it.live("of HTTP/2 have 250 streams at most", () =>
    Effect.gen(function* () {
      const { apiServer, pki } = yield* startTlsServer()
      const session = yield* openHttp2Session(pki, apiServer)
      yield* askHttp2(session, "GET", "/livez")
      assert.strictEqual(session.remoteSettings.maxConcurrentStreams, 250)
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )
})

const create = (apiServer: RunningServer, name: string) =>
  Effect.callback<void>((resume) => {
    const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name } }
    apiServer.server
      .connect({ user: "admin", groups: ["system:masters"], userAgent: "test" })
      .send({ verb: "create", kind: "ConfigMap", namespace: "default", object }, () => resume(Effect.void))
  })

describe("a client certificate", () => {
  it.live("that is invalid gets 401, a missing one is anonymous, and a token counts beside an invalid one", () =>
    Effect.gen(function* () {
      const { apiServer, pki } = yield* startTlsServer()
      const other = yield* makeKeys
      const now = yield* Effect.clockWith((time) => time.currentTimeMillis)
      const subject = { commonName: "alice", organizations: ["system:masters"] }
      const of = (from: typeof pki, nowMs: number) => {
        const { certificatePem, keyPem } = from.clientCertificate(subject, nowMs)
        return { ca: pki.authorityPem, cert: certificatePem, key: keyPem }
      }
      const code = (options: ConnectionOptions, headers: Readonly<Record<string, string>> = {}) =>
        Effect.map(overTls(apiServer, options, "/api/v1/nodes", headers), (answer) => answer.slice(9, 12))
      assert.strictEqual(yield* code(of(pki, now)), "200")
      assert.strictEqual(yield* code(of(other, now)), "401")
      assert.strictEqual(yield* code(of(pki, now - 800 * 86_400_000)), "401")
      assert.strictEqual(yield* code({ ca: pki.authorityPem }), "403")
      assert.strictEqual(yield* code(of(other, now), { Authorization: "Bearer admin" }), "200")
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )
})
