import { connect } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { type KubeletStream, opcodes, spdyFrames } from "@rollcall/streams"
import { SpdyClient } from "@rollcall/streams/testing"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { KubeletAnswer, KubeletTransportShape } from "../../src/http/index.ts"
import { framesOf, masked } from "./frames.ts"
import { type RunningServer, startServer, wallClock } from "./startServer.ts"
import { plain, talkSpdy } from "./talkSpdy.ts"

const PODS = "/api/v1/namespaces/default/pods"

const createPod = ({ ask }: RunningServer) =>
  Effect.gen(function* () {
    const node = { apiVersion: "v1", kind: "Node", metadata: { name: "n1" } }
    yield* ask("POST", "/api/v1/nodes", { body: node })
    const status = { addresses: [{ type: "InternalIP", address: "10.0.0.1" }] }
    yield* ask("PUT", "/api/v1/nodes/n1/status", { body: { ...node, status } })
    yield* ask("POST", "/api/v1/namespaces/default/serviceaccounts", { body: { metadata: { name: "default" } } })
    const spec = { nodeName: "n1", containers: [{ name: "c", image: "i" }] }
    yield* ask("POST", PODS, { body: { apiVersion: "v1", kind: "Pod", metadata: { name: "p" }, spec } })
  })

/** A command that repeats its input, and ends with the length of it; and ports that do, but for 404. */
const makeKubelet = (channels: KubeletStream["channels"]) => {
  const state = { closed: 0, queries: [] as Array<ReadonlyMap<string, ReadonlyArray<string>>> }
  const repeating = (isPort: boolean): KubeletStream => ({
    ...(channels === undefined ? {} : { channels }),
    open: (client) => {
      let length = 0
      return {
        write: (text) => {
          if (text === "fault") throw new Error("a fault of the kubelet")
          length += text.length
          client.write(text.startsWith("!") ? 2 : 1, text)
        },
        end: () => client.end(isPort ? undefined : length),
        close: () => void state.closed++
      }
    }
  })
  const failing: KubeletStream = {
    open: (client) => {
      client.end({ error: "nothing listens on 404" })
      return { write: () => {}, end: () => {}, close: () => {} }
    }
  }
  const transport: KubeletTransportShape = {
    send: (_, { path, query }, reply) => {
      state.queries.push(query)
      const body: KubeletAnswer["body"] = path.startsWith("/portForward")
        ? { connect: (port) => (port === 404 ? failing : repeating(true)) }
        : repeating(false)
      reply(Result.succeed({ code: 101, contentType: "text/plain", body }))
      return () => {}
    }
  }
  return { state, transport }
}

const start = (channels: KubeletStream["channels"] = { stdin: true, stdout: true, stderr: true, tty: false }) =>
  Effect.gen(function* () {
    const { state, transport } = makeKubelet(channels)
    const server = yield* startServer({ kubelets: transport })
    yield* createPod(server)
    return { server, state }
  })

const EXEC = `${PODS}/p/exec?command=cat&stdin=true&stdout=true&stderr=true`
const PORTS = `${PODS}/p/portforward`
const types = (client: SpdyClient, ...names: ReadonlyArray<string>) =>
  names.map((streamtype) => client.open({ streamtype }))

const forward = { "X-Stream-Protocol-Version": "portforward.k8s.io" }

describe("a command through the proxy of its node", () => {
  it.live("has its streams over SPDY, as at the port of the kubelet", () =>
    Effect.gen(function* () {
      const { server } = yield* start()
      const path = "/api/v1/nodes/n1/proxy/exec/default/p/c?command=cat&input=1&output=1&error=1"
      const { client, head } = yield* talkSpdy(plain(server.port), {
        path,
        talk: (opened) => {
          const [, stdin = 0] = types(opened, "error", "stdin", "stdout", "stderr")
          opened.send(stdin, "abc", true)
        }
      })
      assert.match(head, /^HTTP\/1\.1 101 /)
      assert.strictEqual(client.of(5).text, "abc")
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )
})

describe("a command over SPDY", () => {
  it.live("has a stream for each channel, and ends with a Status", () =>
    Effect.gen(function* () {
      const { server, state } = yield* start()
      const { client, head } = yield* talkSpdy(plain(server.port), {
        path: EXEC,
        talk: (opened) => {
          // Input may come before the command has begun.
          const [, stdin = 0] = types(opened, "error", "stdin")
          opened.send(stdin, "héllo\n")
          types(opened, "stdout", "stderr")
          opened.send(stdin, "!wrong")
          opened.send(stdin, "", true)
        }
      })
      assert.strictEqual(
        head,
        "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-Stream-Protocol-Version: v4.channel.k8s.io"
      )
      const [error, stdin, stdout, stderr] = [1, 3, 5, 7].map((id) => client.of(id))
      const status = JSON.parse(error?.text ?? "") as { readonly details: unknown }
      assert.deepStrictEqual(status.details, { causes: [{ reason: "ExitCode", message: "12" }] })
      assert.deepStrictEqual([stdin?.text, stdout?.text, stderr?.text], ["", "héllo\n", "!wrong"])
      for (const stream of [error, stdout, stderr]) assert.isTrue(stream?.isReplied && stream.isEnded)
      assert.isTrue(client.hasGoneAway)
      assert.deepStrictEqual([client.faults, state.closed], [[], 1])
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )

  it.live("has a stream for the size of its terminal, and none for its errors", () =>
    Effect.gen(function* () {
      const { server } = yield* start({ stdin: true, stdout: true, stderr: true, tty: true })
      const talk = (client: SpdyClient) => {
        const [, stdin = 0, , resize = 0] = types(client, "error", "stdin", "stdout", "resize")
        client.send(resize, '{"Width":80,"Height":24}')
        client.send(stdin, "a", true)
      }
      const { client } = yield* talkSpdy(plain(server.port), { path: `${EXEC}&tty=true`, talk })
      assert.strictEqual(client.of(5).text, "a")
      assert.include(client.of(1).text, "NonZeroExitCode")
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )

  it.live("tells its failure as a text in older protocols, and not in the first", () =>
    Effect.gen(function* () {
      const { server } = yield* start()
      const talk = (client: SpdyClient) => {
        const [, stdin = 0] = types(client, "error", "stdin", "stdout", "stderr")
        client.send(stdin, "abc", true)
      }
      for (const version of ["v3.channel.k8s.io", "v2.channel.k8s.io", "channel.k8s.io"]) {
        const headers = { "X-Stream-Protocol-Version": `v9.channel.k8s.io, ${version}` }
        const { client, head } = yield* talkSpdy(plain(server.port), { path: EXEC, headers, talk })
        assert.include(head, `X-Stream-Protocol-Version: ${version}`)
        const text = "command terminated with non-zero exit code: command terminated with exit code 3"
        assert.strictEqual(client.of(1).text, version === "channel.k8s.io" ? "" : text)
        assert.strictEqual(client.of(5).text, "abc")
      }
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )

  it.live("is refused in upstream's words without rights, or a protocol that is served", () =>
    Effect.gen(function* () {
      const { server, state } = yield* start()
      const refused = (headers: Readonly<Record<string, string | undefined>>, path = EXEC) =>
        Effect.map(talkSpdy(plain(server.port), { path, headers }), ({ body, head }) => [head, body] as const)
      const [none] = yield* refused({ Authorization: "Bearer alice" })
      assert.match(none, /^HTTP\/1\.1 403 /)
      assert.lengthOf(state.queries, 0)
      const [head, body] = yield* refused({ "X-Stream-Protocol-Version": "v9.channel.k8s.io" })
      assert.match(
        head,
        /^HTTP\/1\.1 403 Forbidden\r\n[\s\S]*X-Accepted-Stream-Protocol-Versions: v4\.channel\.k8s\.io, v3/
      )
      assert.include(
        body,
        "unable to negotiate protocol: client supports [v9.channel.k8s.io], server accepts [v4.channel"
      )
      const [, missing] = yield* refused({ "X-Stream-Protocol-Version": undefined })
      assert.match(missing, /header X-Stream-Protocol-Version does not exist in request with 5 headers/)
      const [other] = yield* refused({ Upgrade: "SPDY/2" })
      assert.match(other, /^HTTP\/1\.1 400 /)
      const [port] = yield* refused({}, PORTS)
      assert.match(port, /^HTTP\/1\.1 403 /)
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )

  it.live("ends alone when its client leaves or sends what is no frame", () =>
    Effect.gen(function* () {
      const { server, state } = yield* start()
      const begin = (client: SpdyClient) => types(client, "error", "stdin", "stdout", "stderr")
      yield* talkSpdy(plain(server.port), {
        path: EXEC,
        talk: begin,
        heard: (client, socket) => client.of(7).isReplied && socket.destroy()
      })
      yield* talkSpdy(plain(server.port), {
        path: EXEC,
        talk: (client, socket) => {
          begin(client)
          socket.write(Buffer.alloc(1000, 0x80))
        }
      })
      yield* talkSpdy(plain(server.port), {
        path: EXEC,
        talk: (_, socket) => void socket.write(spdyFrames.goAway(0, 0))
      })
      while (state.closed < 2) yield* Effect.sleep("5 millis")
      assert.strictEqual((yield* server.ask("GET", "/livez")).code, 200)
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )

  it.live("ends when its input cannot be handled", () =>
    Effect.gen(function* () {
      const { server } = yield* start()
      const { client } = yield* talkSpdy(plain(server.port), {
        path: EXEC,
        talk: (opened) => opened.send(types(opened, "error", "stdin", "stdout", "stderr")[1] ?? 0, "fault")
      })
      assert.isFalse(client.of(1).isEnded)
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )

  it.live("reads no more from a client that does not read", () =>
    Effect.gen(function* () {
      const { server } = yield* start()
      const written = yield* Effect.callback<number>((resume) => {
        const socket = connect({ port: server.port, host: "127.0.0.1" })
        const head = `POST ${EXEC} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\nAuthorization: Bearer admin\r\nX-Stream-Protocol-Version: v4.channel.k8s.io\r\n\r\n`
        socket.write(head)
        socket.on("error", () => {})
        socket.once("data", () => {
          socket.pause()
          const pings = Buffer.concat(Array.from({ length: 5000 }, () => spdyFrames.ping(1)))
          let sent = 0
          let idle = 0
          const beat = setInterval(() => {
            idle = socket.writableLength > 0 ? idle + 1 : 0
            if (idle > 20 || sent > 64 * 1024 * 1024) {
              clearInterval(beat)
              socket.destroy()
              resume(Effect.succeed(sent))
            } else if (idle === 0) for (let count = 0; count < 16; count++, sent += pings.length) socket.write(pings)
          }, 10)
        })
      })
      assert.isBelow(written, 64 * 1024 * 1024)
      assert.strictEqual((yield* server.ask("GET", "/livez")).code, 200)
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )
})

/** Opens a connection to a port. */
const dial = (client: SpdyClient, port: string, requestid: string) =>
  ["error", "data"].map((streamtype) => client.open({ streamtype, port, requestid })) as [number, number]

describe("ports forwarded over SPDY", () => {
  it.live("are connected to as often as a client asks; what prevents it is said for each", () =>
    Effect.gen(function* () {
      const { server, state } = yield* start(undefined)
      const { client, head } = yield* talkSpdy(plain(server.port), {
        path: PORTS,
        headers: forward,
        talk: (opened) => {
          const [, first] = dial(opened, "80", "0")
          const [, second] = dial(opened, "404", "1")
          const [, third] = dial(opened, "81", "2")
          opened.send(first, "a\xff", true)
          opened.send(second, "b")
          opened.send(third, "c")
          for (const port of ["", "0", "65536", "x"]) dial(opened, port, port)
          opened.open({ streamtype: "other", port: "80" })
          opened.open({ streamtype: "data", port: "80", requestid: "2" })
        },
        heard: (opened, socket) => opened.of(11).text === "c" && opened.of(29).isReset && socket.destroy()
      })
      assert.include(head, "X-Stream-Protocol-Version: portforward.k8s.io")
      assert.deepStrictEqual(client.of(3), { text: "a\xff", isReplied: true, isEnded: true, isReset: false })
      assert.deepStrictEqual(client.of(5), {
        text: "nothing listens on 404",
        isReplied: true,
        isEnded: false,
        isReset: true
      })
      assert.strictEqual(client.of(11).text, "c")
      assert.isTrue([13, 15, 17, 19, 21, 23, 25, 27, 29].every((id) => client.of(id).isReset))
      while (state.closed < 1) yield* Effect.sleep("5 millis")
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )

  it.live("are found by the order of streams, if a client names no request", () =>
    Effect.gen(function* () {
      const { server } = yield* start(undefined)
      const { client } = yield* talkSpdy(plain(server.port), {
        path: PORTS,
        headers: forward,
        talk: (opened) => {
          opened.open({ streamtype: "error", port: "80" })
          opened.send(opened.open({ streamtype: "data", port: "80" }), "x")
        },
        heard: (opened, socket) => opened.of(3).text === "x" && socket.destroy()
      })
      assert.strictEqual(client.of(3).text, "x")
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )
})

interface OverWebSocket {
  readonly path?: string
  readonly protocol: string
  /** Called with each message of the server; returns whether the client leaves. */
  readonly heard: (message: Buffer, send: (payload: Buffer) => void) => boolean
  readonly begin?: (send: (payload: Buffer) => void) => void
}

const overWebSocket = (port: number, { begin, heard, path = PORTS, protocol }: OverWebSocket) =>
  Effect.callback<string>((resume) => {
    const socket = connect({ port, host: "127.0.0.1" })
    const lines = [
      `GET ${path} HTTP/1.1`,
      "Host: x",
      "Upgrade: websocket",
      "Connection: Upgrade",
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
      "Sec-WebSocket-Version: 13",
      `Sec-WebSocket-Protocol: ${protocol}`,
      "Authorization: Bearer admin"
    ]
    socket.write(`${lines.join("\r\n")}\r\n\r\n`)
    const send = (payload: Buffer) => void socket.write(masked(0x82, payload))
    let received = Buffer.alloc(0)
    let head: string | undefined
    let seen = 0
    socket.on("error", () => {})
    socket.on("data", (chunk: Buffer) => {
      received = Buffer.concat([received, chunk])
      const end = received.indexOf("\r\n\r\n")
      if (end < 0) return
      if (head === undefined) {
        head = received.toString("latin1", 0, end)
        if (head.includes(" 101 ")) begin?.(send)
      }
      if (!head.includes(" 101 ")) return
      const messages = framesOf(received.subarray(end + 4))
      for (const [opcode, message] of messages.slice(seen)) {
        if (opcode !== opcodes.close && heard(message, send)) socket.destroy()
      }
      seen = messages.length
    })
    socket.on("close", () =>
      resume(Effect.succeed(`${head ?? ""}\n${received.subarray(received.indexOf("\r\n\r\n") + 4)}`))
    )
    return Effect.sync(() => socket.destroy())
  }).pipe(Effect.timeout("10 seconds"))

describe("ports forwarded over a WebSocket", () => {
  it.live("are tunnelled as SPDY, as kubectl asks", () =>
    Effect.gen(function* () {
      const { server } = yield* start(undefined)
      let client: SpdyClient | undefined
      const head = yield* overWebSocket(server.port, {
        protocol: "SPDY/3.1+portforward.k8s.io",
        begin: (send) => {
          client = new SpdyClient(send)
          const [, data] = dial(client, "80", "0")
          client.send(data, "through")
          dial(client, "404", "1")
        },
        heard: (message) => {
          client?.read(message)
          return client?.of(5).isReset === true
        }
      })
      assert.include(head, "Sec-WebSocket-Protocol: SPDY/3.1+portforward.k8s.io")
      assert.deepStrictEqual([client?.of(3).text, client?.of(5).text], ["through", "nothing listens on 404"])
      const refused = yield* overWebSocket(server.port, { protocol: "SPDY/3.1+other.k8s.io", heard: () => true })
      assert.match(refused, /^HTTP\/1\.1 403 /)
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )

  it.live("have two channels each, which begin with the port", () =>
    Effect.gen(function* () {
      const { server } = yield* start(undefined)
      const messages: Array<Buffer> = []
      yield* overWebSocket(server.port, {
        path: `${PORTS}?ports=80&ports=404`,
        protocol: "v4.channel.k8s.io",
        begin: (send) => send(Buffer.from("\0hello")),
        heard: (message) => {
          messages.push(message)
          return message.toString() === "\0hello"
        }
      })
      const texts = messages.map((message) => message.toString("latin1"))
      assert.deepStrictEqual(texts, [
        "\0\x50\0",
        "\x01\x50\0",
        "\x02\x94\x01",
        "\x03\x94\x01",
        "\x03nothing listens on 404",
        "\0hello"
      ])
      const none = yield* overWebSocket(server.port, { protocol: "v4.channel.k8s.io", heard: () => true })
      assert.match(none, /^HTTP\/1\.1 400 [\s\S]*query parameter "port" is required$/)
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )
})
