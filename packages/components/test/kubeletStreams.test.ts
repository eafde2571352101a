import { request as httpsRequest } from "node:https"
import { connect as connectTls } from "node:tls"
import { assert, describe, it } from "@effect/vitest"
import type { Kubelet, KubeletResponse } from "@rollcall/kubelet"
import * as Effect from "effect/Effect"
import type { NodeSubresource } from "../src/serving/secure/Access.ts"
import { kubeletPort } from "./kubeletPort.ts"

/** A command that repeats its input in capitals, and exits with 3 at `exit` or at the end of its input. */
const echo = (closed: () => void): KubeletResponse => ({
  code: 101,
  contentType: "text/plain",
  body: {
    open: (client) => ({
      write: (text) => (text === "exit" ? client.end(3) : client.write(1, text.toUpperCase())),
      end: () => client.end(3),
      close: closed
    })
  }
})

const ports: KubeletResponse = {
  code: 101,
  contentType: "text/plain",
  body: {
    connect: (port) => ({
      open: (client) => {
        client.end({ error: `nothing listens on ${port}` })
        return { write: () => {}, end: () => {}, close: () => {} }
      }
    })
  }
}

const start = Effect.gen(function* () {
  let closed = 0
  const serve: Kubelet["serve"] = ({ path }) => {
    if (path.startsWith("/exec/")) return echo(() => void closed++)
    return path.startsWith("/portForward/") ? ports : { code: 200, contentType: "text/plain", body: "plain" }
  }
  const port = yield* kubeletPort(serve, {
    tokens: { reviewToken: async (token) => ({ user: token, groups: [] }) },
    access: {
      reviewAccess: async ({ user }, verb, _, about) => ({
        allowed: user === `${verb}-${(about as NodeSubresource).subresource}`,
        reason: ""
      })
    }
  })
  return { port, closed: () => closed }
})

const headers = (token: string, protocol: string | undefined, upgrade: string): string =>
  [
    "Host: a",
    "Connection: Upgrade",
    `Upgrade: ${upgrade}`,
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    ...(token === "" ? [] : [`Authorization: Bearer ${token}`]),
    ...(protocol === undefined ? [] : [`Sec-WebSocket-Protocol: ${protocol}`])
  ].join("\r\n")

/** A frame of a client; the mask of zeros leaves the payload as it is. */
const masked = (opcode: number, payload: Buffer): Buffer =>
  Buffer.concat([Buffer.of(0x80 | opcode, 0x80 | payload.length, 0, 0, 0, 0), payload])

/** The payloads of frames of a server that are shorter than 64 KiB. */
const payloads = (data: Buffer): ReadonlyArray<Buffer> => {
  const found: Array<Buffer> = []
  for (let at = 0; at + 2 <= data.length; ) {
    const short = (data[at + 1] as number) & 0x7f
    const from = at + (short === 126 ? 4 : 2)
    const length = short === 126 ? data.readUInt16BE(at + 2) : short
    found.push(data.subarray(from, from + length))
    at = from + length
  }
  return found
}

interface Asked {
  readonly protocol?: string
  readonly token?: string
  readonly upgrade?: string
  readonly path?: string
  /** More lines of the head. */
  readonly lines?: string
  readonly sends?: ReadonlyArray<Buffer>
}

/** Opens a connection, sends frames, and returns the head and the payloads of the server until it closes. */
const talk = (
  port: number,
  { lines = "", path = "/exec/ns/p/c?stdin=1&stdout=1", protocol, sends = [], token, upgrade }: Asked
) =>
  Effect.callback<{ readonly head: string; readonly said: ReadonlyArray<Buffer> }>((resume) => {
    let data = Buffer.alloc(0)
    const socket = connectTls({ port, host: "127.0.0.1", rejectUnauthorized: false }, () => {
      socket.write(
        `GET ${path} HTTP/1.1\r\n${headers(token ?? "get-proxy", protocol, upgrade ?? "websocket")}\r\n${lines}\r\n`
      )
      for (const frame of sends) socket.write(frame)
    })
    socket.on("error", () => {})
    socket.on("data", (bytes: Buffer) => {
      data = Buffer.concat([data, bytes])
    })
    socket.on("close", () => {
      const end = data.indexOf("\r\n\r\n")
      resume(Effect.succeed({ head: data.subarray(0, end).toString(), said: payloads(data.subarray(end + 4)) }))
    })
  }).pipe(Effect.timeout("5 seconds"))

const status = (said: ReadonlyArray<Buffer>): unknown => {
  const found = said.find((payload) => payload[0] === 3)
  return JSON.parse((found ?? Buffer.from("-{}")).subarray(1).toString())
}

const stdin = (text: string): Buffer => masked(2, Buffer.concat([Buffer.of(0), Buffer.from(text)]))

describe("the port of a kubelet, asked for a command over a WebSocket", () => {
  it.live("serves v5, whose input can be closed, and tells the exit status", () =>
    Effect.gen(function* () {
      const { closed, port } = yield* start
      const sends = [stdin("hi"), masked(2, Buffer.of(255, 0))]
      const { head, said } = yield* talk(port, { protocol: "v4.channel.k8s.io, v5.channel.k8s.io", sends })
      assert.match(head, /^HTTP\/1\.1 101 .*Sec-WebSocket-Protocol: v5\.channel\.k8s\.io$/s)
      assert.include(said.map(String), "\x01HI")
      assert.nestedInclude(status(said), { reason: "NonZeroExitCode", "details.causes[0].message": "3" })
      while (closed() === 0) yield* Effect.sleep("5 millis")
    }).pipe(Effect.scoped)
  )

  it.live("serves the older ones: binary, Base64, and without a status", () =>
    Effect.gen(function* () {
      const { port } = yield* start
      const v4 = yield* talk(port, { protocol: "v4.channel.k8s.io", sends: [stdin("hi"), stdin("exit")] })
      assert.include(v4.said.map(String), "\x01HI")
      assert.nestedInclude(status(v4.said), { reason: "NonZeroExitCode" })

      const text = (word: string) => masked(1, Buffer.from(`0${Buffer.from(word).toString("base64")}`))
      const base64 = yield* talk(port, { protocol: "v4.base64.channel.k8s.io", sends: [text("hello"), text("exit")] })
      assert.include(base64.said.map(String), `1${Buffer.from("HELLO").toString("base64")}`)
      const told = base64.said.map(String).find((payload) => payload.startsWith("3")) ?? ""
      assert.include(Buffer.from(told.slice(1), "base64").toString(), "NonZeroExitCode")

      for (const protocol of ["channel.k8s.io", undefined]) {
        const old = yield* talk(port, { ...(protocol === undefined ? {} : { protocol }), sends: [stdin("exit")] })
        assert.match(old.head, /^HTTP\/1\.1 101 /)
        const message = "command terminated with non-zero exit code: command terminated with exit code 3"
        assert.include(old.said.map(String), `\x03${message}`)
      }
    }).pipe(Effect.scoped)
  )

  it.live("has channels for ports, and streams of SPDY for both", () =>
    Effect.gen(function* () {
      const { port } = yield* start
      const path = "/portForward/ns/p?port=80,443"
      const { head, said } = yield* talk(port, { path, protocol: "v4.channel.k8s.io" })
      assert.match(head, /^HTTP\/1\.1 101 /)
      const texts = said.map((payload) => payload.toString("latin1"))
      assert.deepStrictEqual(texts.slice(0, 6), [
        "\0\x50\0",
        "\x01\x50\0",
        "\x02\xbb\x01",
        "\x03\xbb\x01",
        "\x01nothing listens on 80",
        "\x03nothing listens on 443"
      ])
      for (const [asked, name] of [
        ["/exec/ns/p/c?stdout=1", "v4.channel.k8s.io"],
        ["/portForward/ns/p", "portforward.k8s.io"]
      ] as const) {
        const lines = `X-Stream-Protocol-Version: ${name}\r\n`
        // A frame of another version ends the connection.
        const spdy = yield* talk(port, { path: asked, upgrade: "SPDY/3.1", lines, sends: [Buffer.alloc(8, 0x80)] })
        assert.match(
          spdy.head,
          new RegExp(`^HTTP/1\\.1 101 [\\s\\S]*Upgrade: SPDY/3\\.1\r\nX-Stream-Protocol-Version: ${name}$`)
        )
      }
    }).pipe(Effect.scoped)
  )

  it.live("answers other paths as if they asked for no other protocol", () =>
    Effect.gen(function* () {
      const { port } = yield* start
      const { head } = yield* talk(port, { path: "/containerLogs/ns/p/c", lines: "Connection: close\r\n" })
      assert.match(head, /^HTTP\/1\.1 200 /)
    }).pipe(Effect.scoped)
  )

  it.live("refuses callers without rights, other protocols, and what is no command", () =>
    Effect.gen(function* () {
      const { closed, port } = yield* start
      const codeOf = (asked: Asked) => Effect.map(talk(port, asked), ({ head }) => head.slice(9, 12))
      const protocol = "v5.channel.k8s.io"
      assert.strictEqual(yield* codeOf({ protocol, token: "" }), "401")
      assert.strictEqual(yield* codeOf({ protocol, token: "get-stats" }), "403")
      assert.strictEqual(yield* codeOf({ protocol: "v9.channel.k8s.io" }), "403")
      assert.strictEqual(yield* codeOf({ upgrade: "SPDY/3.1" }), "400")
      assert.strictEqual(yield* codeOf({ protocol, path: "/portForward/ns/p" }), "400")
      assert.strictEqual(yield* codeOf({ protocol, path: "/portForward/ns/p?port=80" }), "403")
      const plain = yield* Effect.callback<string>((resume) => {
        const options = {
          port,
          host: "127.0.0.1",
          path: "/exec/ns/p/c?stdout=1",
          rejectUnauthorized: false,
          agent: false
        }
        const asked = { ...options, headers: { authorization: "Bearer get-proxy" } }
        httpsRequest(asked, (response) => {
          let body = ""
          response.on("data", (chunk) => {
            body += chunk
          })
          response.on("end", () => resume(Effect.succeed(`${response.statusCode} ${body}`)))
        }).end()
      })
      assert.strictEqual(plain, "500 Upgrade request required\n")
      assert.strictEqual(closed(), 0)
    }).pipe(Effect.scoped)
  )
})
