import { connect, type Socket } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { opcodes, type StreamClient } from "@rollcall/streams"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Result from "effect/Result"
import type { KubeletAnswer, KubeletTransportShape } from "../../src/http/index.ts"
import { framesOf, masked } from "./frames.ts"
import { type RunningServer, startServer, wallClock } from "./startServer.ts"

const PODS = "/api/v1/namespaces/default/pods"

const createPod = ({ ask }: RunningServer) =>
  Effect.gen(function* () {
    const node = { apiVersion: "v1", kind: "Node", metadata: { name: "n1" } }
    yield* ask("POST", "/api/v1/nodes", { body: node })
    const status = { addresses: [{ type: "InternalIP", address: "10.0.0.1" }] }
    yield* ask("PUT", "/api/v1/nodes/n1/status", { body: { ...node, status } })
    yield* ask("POST", "/api/v1/namespaces/default/serviceaccounts", { body: { metadata: { name: "default" } } })
    const spec = { nodeName: "n1", containers: [{ name: "c", image: "i" }] }
    const created = yield* ask("POST", PODS, { body: { apiVersion: "v1", kind: "Pod", metadata: { name: "p" }, spec } })
    assert.strictEqual(created.code, 201, created.body)
  })

/** A kubelet whose container repeats its input, and ends with its length. */
const makeKubelet = (answer?: KubeletAnswer) => {
  const state = { paths: [] as Array<string>, closed: 0, client: undefined as StreamClient | undefined }
  const repeating: KubeletAnswer["body"] = {
    open: (client) => {
      state.client = client
      let length = 0
      return {
        write: (text) => {
          length += text.length
          client.write(1, text)
        },
        end: () => client.end(length),
        close: () => {
          state.closed++
        }
      }
    }
  }
  const transport: KubeletTransportShape = {
    send: (_, { path, query }, reply) => {
      state.paths.push(`${path} ${(query.get("command") ?? []).join(" ")}`)
      reply(Result.succeed(answer ?? { code: 101, contentType: "text/plain", body: repeating }))
      return () => {}
    }
  }
  return { state, transport }
}

interface Conversation {
  readonly protocol?: string
  readonly path?: string
  readonly user?: string
  /** Sent once the server has agreed. */
  readonly send?: ReadonlyArray<Buffer>
  /** Ends the conversation from the client's side. */
  readonly leave?: (socket: Socket) => void
}

/** Talks to a command; returns the head, and the messages until the server closes. */
const talk = ({ port }: RunningServer, { leave, path, protocol = "v5.channel.k8s.io", send, user }: Conversation) =>
  Effect.callback<{ readonly head: string; readonly frames: ReadonlyArray<readonly [number, Buffer]> }>((resume) => {
    const socket = connect({ port, host: "127.0.0.1" })
    let received = Buffer.alloc(0)
    const lines = {
      Host: "x",
      Upgrade: "websocket",
      Connection: "Upgrade",
      "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
      "Sec-WebSocket-Version": "13",
      "Sec-WebSocket-Protocol": protocol,
      Authorization: `Bearer ${user ?? "admin"}`
    }
    const asked = path ?? `${PODS}/p/exec?command=cat&command=-&stdin=true&stdout=true`
    const text = Object.entries(lines).map(([name, value]) => `${name}: ${value}\r\n`)
    socket.write(`GET ${asked} HTTP/1.1\r\n${text.join("")}\r\n`)
    socket.on("data", (chunk) => {
      if (received.length === 0) {
        for (const frame of send ?? []) socket.write(frame)
        leave?.(socket)
      }
      received = Buffer.concat([received, chunk])
    })
    socket.on("error", () => {})
    socket.on("close", () => {
      const end = received.indexOf("\r\n\r\n")
      const head = received.toString("latin1", 0, end)
      const body = received.subarray(end + 4)
      resume(Effect.succeed({ head, frames: head.includes(" 101 ") ? framesOf(body) : [[0, body]] }))
    })
    return Effect.sync(() => socket.destroy())
  })

const message = (channel: number, text: string) => masked(0x82, Buffer.from([channel, ...Buffer.from(text)]))
const CLOSE_STDIN = masked(0x82, Buffer.from([255, 0]))

const messagesOf = (frames: ReadonlyArray<readonly [number, Buffer]>) =>
  frames.flatMap(([opcode, data]) => (opcode === opcodes.binary ? [[data[0], data.toString("utf8", 1)]] : []))

const start = (answer?: KubeletAnswer) =>
  Effect.gen(function* () {
    const { state, transport } = makeKubelet(answer)
    const server = yield* startServer({ kubelets: transport })
    yield* createPod(server)
    return { state, server }
  })

describe("commands in containers", () => {
  it.live("talk over a WebSocket's channels, and end with their exit code", () =>
    Effect.gen(function* () {
      const { server, state } = yield* start()
      const split = [masked(0x02, Buffer.from([0, 0x62])), masked(0x80, Buffer.from("c"))]
      const { frames, head } = yield* talk(server, { send: [message(0, "a"), ...split, CLOSE_STDIN] })
      assert.include(head, "Sec-WebSocket-Protocol: v5.channel.k8s.io")
      const messages = messagesOf(frames)
      assert.deepStrictEqual(messages.slice(0, -1), [
        [1, ""],
        [1, "a"],
        [1, "b"],
        [1, "c"]
      ])
      const [channel, text] = messages.at(-1) ?? []
      assert.strictEqual(channel, 3)
      assert.deepStrictEqual(JSON.parse(String(text)), {
        metadata: {},
        status: "Failure",
        message: "command terminated with non-zero exit code: command terminated with exit code 3",
        reason: "NonZeroExitCode",
        details: { causes: [{ reason: "ExitCode", message: "3" }] }
      })
      assert.deepStrictEqual(state.paths, ["/exec/default/p/c cat -"])
      assert.strictEqual(state.closed, 1)
      const empty = yield* talk(server, { protocol: "v5.channel.k8s.io, x", send: [CLOSE_STDIN] })
      assert.deepStrictEqual(messagesOf(empty.frames).at(-1), [3, '{"metadata":{},"status":"Success"}'])
      // Only the fifth version can close the input.
      const goodbye = masked(0x88, Buffer.alloc(0))
      const older = yield* talk(server, {
        protocol: "v4.channel.k8s.io, x",
        send: [CLOSE_STDIN, message(0, "a"), goodbye]
      })
      assert.deepStrictEqual(
        messagesOf(older.frames).filter(([channel]) => channel === 1 || channel === 3),
        [
          [1, ""],
          [1, "a"]
        ]
      )
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )

  it.live("talk in older protocols, and in base64", () =>
    Effect.gen(function* () {
      const { server } = yield* start()
      const close = masked(0x88, Buffer.alloc(0))
      const old = yield* talk(server, { protocol: "channel.k8s.io", send: [message(0, "a"), close] })
      assert.include(old.head, "Sec-WebSocket-Protocol: channel.k8s.io")
      assert.deepStrictEqual(messagesOf(old.frames), [
        [1, ""],
        [1, "a"]
      ])
      const text = [masked(0x01, Buffer.from("0YW")), masked(0x80, Buffer.from("Jj")), close]
      const { frames } = yield* talk(server, { protocol: "v4.base64.channel.k8s.io", send: text })
      const texts = frames.flatMap(([opcode, data]) => (opcode === opcodes.text ? [data.toString()] : []))
      assert.deepStrictEqual(texts, ["1", "1YWJj"])
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )

  it.live("say over the error channel why they do not run", () =>
    Effect.gen(function* () {
      const { server } = yield* start({ code: 500, contentType: "text/plain", body: 'container not found ("c")' })
      const { frames } = yield* talk(server, {})
      const [channel, text] = messagesOf(frames).at(-1) ?? []
      assert.strictEqual(channel, 3)
      const message = 'Internal error occurred: unable to upgrade connection: container not found ("c")'
      assert.strictEqual((JSON.parse(String(text)) as { message: string }).message, message)
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )

  it.live("are refused to those who may not, for other protocols and without a pod", () =>
    Effect.gen(function* () {
      const { server, state } = yield* start()
      const first = (asking: Conversation) => Effect.map(talk(server, asking), ({ head }) => head.split("\r\n")[0])
      assert.strictEqual(yield* first({ user: "alice" }), "HTTP/1.1 403 Forbidden")
      assert.strictEqual(yield* first({ protocol: "v9.channel.k8s.io" }), "HTTP/1.1 403 Forbidden")
      assert.strictEqual(yield* first({ path: `${PODS}/q/exec?command=x&stdout=true` }), "HTTP/1.1 404 Not Found")
      assert.strictEqual(yield* first({ path: `${PODS}/p/exec?command=x&container=d` }), "HTTP/1.1 400 Bad Request")
      assert.deepStrictEqual(state.paths, [])
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )

  it.live("are refused over their channel when a client has too many", () =>
    Effect.gen(function* () {
      const { server, state } = yield* start()
      const open: Array<Socket> = []
      yield* Effect.addFinalizer(() => Effect.sync(() => open.forEach((socket) => void socket.destroy())))
      const fibers = yield* Effect.forEach(Array.from({ length: 100 }), () =>
        Effect.forkChild(talk(server, { leave: (socket) => void open.push(socket) }))
      )
      while (open.length < 100) yield* Effect.sleep("5 millis")
      const { frames } = yield* talk(server, {})
      const [channel, text] = messagesOf(frames).at(-1) ?? []
      assert.strictEqual(channel, 3)
      assert.strictEqual((JSON.parse(String(text)) as { code: number }).code, 429)
      assert.lengthOf(state.paths, 100)
      for (const socket of open) socket.destroy()
      for (const fiber of fibers) yield* Fiber.join(fiber)
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )

  it.live("end when their client is gone", () =>
    Effect.gen(function* () {
      const { server, state } = yield* start()
      yield* talk(server, { leave: (socket) => setImmediate(() => socket.destroy()) })
      while (state.closed === 0) yield* Effect.sleep("5 millis")
      assert.strictEqual(state.closed, 1)
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )
})

describe("the log of a container", () => {
  it.live("is sent as it is written, and stops with its client", () =>
    Effect.gen(function* () {
      let client: StreamClient | undefined
      let closed = 0
      const body: KubeletAnswer["body"] = {
        open: (opened) => {
          client = opened
          opened.write(1, "first\n")
          return { write: () => {}, end: () => {}, close: () => void closed++ }
        }
      }
      const { server } = yield* start({ code: 200, contentType: "text/plain; charset=utf-8", body })
      const read = yield* Effect.forkChild(server.ask("GET", `${PODS}/p/log?follow=true`))
      while (client === undefined) yield* Effect.sleep("5 millis")
      client.write(1, "second\n")
      assert.isFalse(client.isFull())
      client.write(1, "x".repeat(20_000_000))
      assert.isTrue(client.isFull())
      client.end()
      const answer = yield* Fiber.join(read)
      assert.match(answer.body, /^first\nsecond\nx/)
      assert.strictEqual(closed, 1)
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )

  it.live("is sent over a WebSocket, whose client may leave", () =>
    Effect.gen(function* () {
      let client: StreamClient | undefined
      let closed = 0
      const body: KubeletAnswer["body"] = {
        open: (opened) => {
          client = opened
          opened.write(1, "x".repeat(3000))
          return { write: () => {}, end: () => {}, close: () => void closed++ }
        }
      }
      const { server } = yield* start({ code: 200, contentType: "text/plain", body })
      const log = (protocol: string, options: Partial<Conversation> = {}) =>
        talk(server, { path: `${PODS}/p/log?follow=true`, protocol, ...options })
      const read = yield* Effect.forkChild(log("other, binary.k8s.io"))
      while (client === undefined) yield* Effect.sleep("5 millis")
      client.write(2, "é\n")
      client.end()
      const { frames, head } = yield* Fiber.join(read)
      assert.include(head, "Sec-WebSocket-Protocol: binary.k8s.io")
      const texts = frames.map(([opcode, data]) => [opcode, data.length < 9 ? data.toString("latin1") : data.length])
      assert.deepStrictEqual(texts, [
        [opcodes.binary, ""],
        [opcodes.binary, 2048],
        [opcodes.binary, 952],
        [opcodes.binary, "\xc3\xa9\n"],
        [opcodes.close, "\x03\xe8"]
      ])
      const left = yield* log("base64.binary.k8s.io", {
        send: [masked(0x82, Buffer.from("x")), masked(0x88, Buffer.alloc(0))]
      })
      const [empty, first] = left.frames
      assert.deepStrictEqual([empty?.[0], empty?.[1].length], [opcodes.text, 0])
      assert.strictEqual(Buffer.from(String(first?.[1]), "base64").toString(), "x".repeat(2048))
      assert.strictEqual(closed, 2)
      const refused = yield* log("v4.channel.k8s.io")
      assert.match(refused.head, /^HTTP\/1\.1 403 /)
      const invalid = yield* talk(server, { path: `${PODS}/p/log?limitBytes=0`, protocol: "binary.k8s.io" })
      assert.match(invalid.head, /^HTTP\/1\.1 422 /)
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )

  it.live("that is whole or missing is told over a WebSocket or before it", () =>
    Effect.gen(function* () {
      const asking = { path: `${PODS}/p/log`, protocol: "binary.k8s.io" }
      const whole = yield* start({ code: 200, contentType: "text/plain", body: "all of it" })
      const { frames } = yield* talk(whole.server, asking)
      assert.deepStrictEqual(messagesOf(frames), [
        [undefined, ""],
        ["a".charCodeAt(0), "ll of it"]
      ])
      const missing = yield* start({ code: 400, contentType: "text/plain", body: "not started" })
      const { frames: answer, head } = yield* talk(missing.server, asking)
      assert.match(head, /^HTTP\/1\.1 400 /)
      assert.include(String(answer[0]?.[1]), "not started")
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )
})
