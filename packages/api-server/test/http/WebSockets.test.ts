import { connect } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { closeFrame, FrameReader, frameOf, opcodes } from "@rollcall/streams"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { framesOf, MASK, masked } from "./frames.ts"
import { type RunningServer, startServer, wallClock } from "./startServer.ts"

const CONFIGMAPS = "/api/v1/namespaces/default/configmaps"
const KEY = "dGhlIHNhbXBsZSBub25jZQ=="
/** The answer to this key in RFC 6455, 1.3. */
const ACCEPT = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="

const opening = {
  Upgrade: "websocket",
  Connection: "Upgrade",
  "Sec-WebSocket-Key": KEY,
  "Sec-WebSocket-Version": "13",
  Origin: "http://example.org",
  Authorization: "Bearer admin"
}

interface Answer {
  readonly head: string
  readonly body: Buffer
}

interface Asking {
  readonly path?: string
  readonly headers?: Readonly<Record<string, string | undefined>>
  /** Sent once the server has answered. */
  readonly after?: Buffer
}

/** What the server sends until it closes the connection. */
const ask = ({ port }: RunningServer, asking: Asking = {}) =>
  Effect.callback<Answer>((resume) => {
    const { after, headers, path = `${CONFIGMAPS}?watch=1&timeoutSeconds=1` } = asking
    // Its own side stays open, and what it sends shows that the server has closed the connection as a whole.
    const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true })
    const chunks: Array<Buffer> = []
    const given = Object.entries({ Host: "x", ...opening, ...headers }).filter(([, value]) => value !== undefined)
    socket.write(`GET ${path} HTTP/1.1\r\n${given.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`)
    socket.on("data", (chunk) => {
      if (chunks.push(chunk) === 1 && after !== undefined) socket.write(after)
    })
    socket.on("error", () => {})
    const goOn = () => socket.write("?", () => setImmediate(goOn))
    socket.on("end", goOn)
    socket.on("close", () => {
      const all = Buffer.concat(chunks)
      const end = all.indexOf("\r\n\r\n")
      resume(Effect.succeed({ head: all.toString("latin1", 0, end), body: all.subarray(end + 4) }))
    })
    return Effect.sync(() => socket.destroy())
  })

const NORMAL = [opcodes.close, Buffer.from([3, 232])] as const

describe("watches over a WebSocket", () => {
  it.live("send each event as a message, and close after their timeout", () =>
    Effect.gen(function* () {
      const server = yield* startServer()
      yield* server.ask("POST", CONFIGMAPS, { body: { metadata: { name: "a" } } })
      yield* server.ask("POST", CONFIGMAPS, { body: { metadata: { name: "b" }, data: { text: "x".repeat(300) } } })
      const { body, head } = yield* ask(server)
      const lines = ["101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade"]
      assert.strictEqual(head, `HTTP/1.1 ${lines.join("\r\n")}\r\nSec-WebSocket-Accept: ${ACCEPT}`)
      const frames = framesOf(body)
      const events = frames.slice(0, -1).map(([opcode, text]) => [opcode, JSON.parse(text.toString())] as const)
      assert.deepStrictEqual(
        events.map(([opcode, { object, type }]) => [opcode, type, object.metadata.name]),
        [
          [opcodes.text, "ADDED", "a"],
          [opcodes.text, "ADDED", "b"]
        ]
      )
      assert.deepStrictEqual(frames.at(-1), NORMAL)
      const binary = yield* ask(server, { headers: { Accept: "application/vnd.kubernetes.protobuf" } })
      const [first] = framesOf(binary.body)
      assert.strictEqual(first?.[0], opcodes.binary)
      assert.include(first?.[1].toString("latin1"), "k8s\0")
      assert.strictEqual(first?.[1].toString("latin1", 0, 7), "\n\x05ADDED")
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )

  it.live("answer pings, and end with a close frame or a broken one", () =>
    Effect.gen(function* () {
      const server = yield* startServer()
      const after = (...frames: ReadonlyArray<Buffer>) =>
        Effect.map(ask(server, { after: Buffer.concat(frames) }), ({ body }) => framesOf(body))
      const ping = masked(0x89, Buffer.from("hi"))
      const text = masked(0x81, Buffer.alloc(70_000, 1))
      assert.deepStrictEqual(yield* after(text, ping), [[opcodes.pong, Buffer.from("hi")], NORMAL])
      assert.deepStrictEqual(yield* after(masked(0x88, Buffer.from([3, 233]))), [NORMAL])
      const protocolError = [opcodes.close, Buffer.from([3, 234])] as const
      assert.deepStrictEqual(yield* after(frameOf(opcodes.text, Buffer.from("hi"))), [protocolError, NORMAL])
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )

  it.live("refuse handshakes as upstream", () =>
    Effect.gen(function* () {
      const server = yield* startServer()
      const refusals = [
        [{ "Sec-WebSocket-Key": undefined }, "400 Bad Request", "mismatch challenge/response"],
        [{ Origin: undefined }, "403 Forbidden", ""],
        [{ Origin: "not a URL" }, "403 Forbidden", ""],
        [{ "Sec-WebSocket-Protocol": "a, b" }, "400 Bad Request", ""]
      ] as const
      for (const [headers, line, text] of refusals) {
        const { body, head } = yield* ask(server, { headers })
        assert.deepStrictEqual([head, body.toString()], [`HTTP/1.1 ${line}`, text])
      }
      const old = yield* ask(server, { headers: { "Sec-WebSocket-Version": "8" } })
      assert.strictEqual(old.head, "HTTP/1.1 400 Bad Request\r\nSec-WebSocket-Version: 13")
      const refused = yield* ask(server, { path: `${CONFIGMAPS}?watch=1&labelSelector=a%3D%3D%3D` })
      assert.match(refused.head, /^HTTP\/1.1 400 Bad Request\r\nAudit-Id/)
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )

  it.live("take a bearer token as a subprotocol", () =>
    Effect.gen(function* () {
      const server = yield* startServer()
      const protocol = (token: string) => `base64url.bearer.authorization.k8s.io.${token}`
      const shown = (header: string) =>
        Effect.map(
          ask(server, { headers: { Authorization: undefined, "Sec-WebSocket-Protocol": header } }),
          ({ head }) => head
        )
      const token = Buffer.from("admin").toString("base64url")
      assert.match(yield* shown(`${protocol(token)}, v1`), /^HTTP\/1.1 101 .*\r\nSec-WebSocket-Protocol: v1$/s)
      assert.match(yield* shown(`${protocol(token)}, v1, v2`), /^HTTP\/1.1 400/)
      for (const header of [
        protocol(token),
        `${protocol("Zm9v")}, v1`,
        `${protocol("!!")}, v1`,
        `${protocol(token)}, ${protocol(token)}, v1`
      ]) {
        assert.match(yield* shown(header), /^HTTP\/1.1 401/, header)
      }
    }).pipe(Effect.scoped, Effect.provide(wallClock))
  )
})

describe("a reader of frames", () => {
  const read = (chunks: ReadonlyArray<Buffer>) => {
    const seen: Array<unknown> = []
    const reader = new FrameReader({
      onPing: (payload) => seen.push(payload.toString("hex")),
      onEnd: (code) => seen.push(code ?? "end")
    })
    for (const chunk of chunks) reader.read(chunk)
    return seen
  }

  it("reads the same however the bytes arrive", () => {
    const payload = fc.uint8Array({ maxLength: 300 })
    const frame = fc.record({ first: fc.constantFrom(0x81, 0x82, 0x89, 0x8a, 0x01, 0x88), payload })
    const cuts = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 20 })
    fc.assert(
      fc.property(fc.array(frame, { maxLength: 8 }), cuts, (frames, sizes) => {
        const bytes = Buffer.concat(frames.map((each) => masked(each.first, each.payload)))
        const pieces: Array<Buffer> = []
        for (let at = 0, turn = 0; at < bytes.length; turn++) {
          const size = sizes[turn % sizes.length] as number
          pieces.push(bytes.subarray(at, at + size))
          at += size
        }
        const closed = frames.findIndex(({ first }) => first === 0x88)
        const heard = frames.slice(0, closed < 0 ? undefined : closed).filter(({ first }) => first === 0x89)
        const expected = heard.map((each) => Buffer.from(each.payload.slice(0, 125)).toString("hex"))
        assert.deepStrictEqual(read(pieces), closed < 0 ? expected : [...expected, "end"])
      })
    )
  })

  it("ends at a message of more than 32 MiB, and reads nothing after the end", () => {
    const head = Buffer.from([0x82, 0xff, 0, 0, 0, 0, 2, 0, 0, 1, ...MASK])
    assert.deepStrictEqual(read([head, masked(0x89, Buffer.from("x"))]), ["end"])
    assert.deepStrictEqual(read([closeFrame(1000), masked(0x88, Buffer.alloc(0))]), [1002])
  })
})
