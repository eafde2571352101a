import { request as httpsRequest } from "node:https"
import { connect, type Socket } from "node:net"
import { connect as connectTls, type TLSSocket } from "node:tls"
import { assert, describe, it } from "@effect/vitest"
import type { Kubelet, KubeletResponse } from "@rollcall/kubelet"
import * as Effect from "effect/Effect"
import { kubeletPort } from "./kubeletPort.ts"

const idle: KubeletResponse = {
  code: 101,
  contentType: "text/plain",
  body: { open: () => ({ write: () => {}, end: () => {}, close: () => {} }) }
}

const limits = { most: 60, unidentified: 20, headerMs: 300, idleMs: 60_000, checkMs: 20 }

const start = Effect.gen(function* () {
  let served = 0
  let reviewed = 0
  const serve: Kubelet["serve"] = ({ path }) => {
    served++
    return path.startsWith("/exec/") ? idle : { code: 200, contentType: "text/plain", body: "content" }
  }
  const reviews = {
    tokens: {
      reviewToken: async (token: string) => (/^user|^other/.test(token) ? { user: token, groups: [] } : undefined)
    },
    access: {
      reviewAccess: async () => {
        reviewed++
        await new Promise((resolve) => setTimeout(resolve, 5))
        return { allowed: true, reason: "" }
      }
    }
  }
  const port = yield* kubeletPort(serve, reviews, { limits, mostStreams: 40 })
  const sockets: Array<Socket> = []
  yield* Effect.addFinalizer(() => Effect.sync(() => sockets.forEach((socket) => void socket.destroy())))
  const kept = <S extends Socket>(socket: S): S => {
    socket.on("error", () => {})
    sockets.push(socket)
    return socket
  }
  /** Another client's request, over a connection of its own. */
  const isServed = (path = "/pods", more: Readonly<Record<string, string>> = {}) =>
    Effect.callback<string>((resume) => {
      const options = { port, host: "127.0.0.1", path, agent: false, rejectUnauthorized: false }
      const sent = httpsRequest({ ...options, headers: { authorization: "Bearer other", ...more } }, (response) => {
        response.resume()
        response.on("end", () => resume(Effect.succeed(String(response.statusCode))))
      })
      sent.on("upgrade", (response, socket) => {
        socket.destroy()
        resume(Effect.succeed(String(response.statusCode)))
      })
      sent.on("error", ({ message }) => resume(Effect.succeed(message)))
      sent.end()
    }).pipe(Effect.timeout("5 seconds"))
  const tls = (said: (socket: TLSSocket) => void): TLSSocket => {
    const socket = kept(connectTls({ port, host: "127.0.0.1", rejectUnauthorized: false }, () => said(socket)))
    return socket
  }
  return { port, isServed, kept, tls, served: () => served, reviewed: () => reviewed }
})

const opening = (token: string) =>
  `GET /exec/ns/p/c?stdout=1 HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-Stream-Protocol-Version: v4.channel.k8s.io\r\nAuthorization: Bearer ${token}\r\n\r\n`

const closing = (socket: Socket) =>
  Effect.callback<void>((resume) => {
    if (socket.closed) resume(Effect.void)
    else socket.on("close", () => resume(Effect.void))
  }).pipe(Effect.timeout("5 seconds"))

/** Opens so many connections one after the other, each of which stays. */
const openAll = (count: number, open: () => Socket) =>
  Effect.forEach(
    Array.from({ length: count }),
    () =>
      Effect.callback<Socket>((resume) => {
        const socket = open()
        socket.once("data", () => resume(Effect.succeed(socket)))
        socket.once("close", () => resume(Effect.succeed(socket)))
        socket.once(
          "connect",
          () => socket instanceof Object && !("encrypted" in socket) && resume(Effect.succeed(socket))
        )
      }),
    { concurrency: 4 }
  )

describe("the port of a kubelet, attacked", () => {
  it.live("serves others while connections stay open without a word", () =>
    Effect.gen(function* () {
      const { isServed, kept, port, tls } = yield* start
      const silent = yield* openAll(100, () => kept(connect({ port, host: "127.0.0.1" })))
      assert.strictEqual(yield* isServed(), "200")
      const slow = tls((socket) => {
        socket.write("GET /pods HTTP/1.1\r\nHost: a\r\n")
        const beat = setInterval(() => socket.write("X: y\r\n"), 50)
        socket.on("close", () => clearInterval(beat))
      })
      yield* closing(slow)
      for (const socket of silent) yield* closing(socket)
      assert.strictEqual(yield* isServed(), "200")
    }).pipe(Effect.scoped)
  )

  it.live("has so many streams, and serves other requests beside them", () =>
    Effect.gen(function* () {
      const { isServed, tls } = yield* start
      const answers: Array<string> = []
      const streams = yield* openAll(80, () =>
        tls((socket) => {
          socket.once("data", (bytes: Buffer) => answers.push(bytes.toString("latin1", 9, 12)))
          socket.write(opening("user"))
        })
      )
      assert.deepStrictEqual([...new Set(answers)].sort(), ["101", "429"])
      assert.strictEqual(answers.filter((code) => code === "101").length, 40)
      assert.strictEqual(yield* isServed(), "200")
      const open = streams.filter((socket) => !socket.destroyed)
      assert.isAtMost(open.length, limits.most)
      assert.isAbove(open.length, limits.unidentified, "those of a known caller stay")
      // Another caller gets a stream, although this one has taken all.
      const upgrade = { connection: "Upgrade", upgrade: "SPDY/3.1", "x-stream-protocol-version": "v4.channel.k8s.io" }
      assert.strictEqual(yield* isServed("/exec/ns/p/c", upgrade), "101")
    }).pipe(Effect.scoped)
  )

  it.live("refuses large heads, and bodies without rights", () =>
    Effect.gen(function* () {
      const { isServed, served, tls } = yield* start
      const answerTo = (text: string, more = "") =>
        Effect.callback<string>((resume) => {
          let answer = ""
          const socket = tls((opened) => {
            opened.write(text)
            if (more !== "") for (let count = 0; count < 200; count++) opened.write(more)
          })
          socket.on("data", (bytes: Buffer) => {
            answer += bytes.toString("latin1")
            resume(Effect.succeed(answer.slice(9, 12)))
          })
          socket.on("close", () => resume(Effect.succeed(answer.slice(9, 12))))
        }).pipe(Effect.timeout("5 seconds"))
      assert.strictEqual(yield* answerTo(`GET /pods HTTP/1.1\r\nHost: a\r\nX: ${"y".repeat(100_000)}\r\n\r\n`), "431")
      const post = "POST /pods HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999\r\n\r\n"
      assert.strictEqual(yield* answerTo(post, "z".repeat(50_000)), "401")
      assert.strictEqual(yield* answerTo(opening("nobody")), "401")
      assert.strictEqual(served(), 0)
      assert.strictEqual(yield* isServed(), "200")
    }).pipe(Effect.scoped)
  )

  it.live(
    "computes the next answer of a connection when the one before has been taken, and reviews a caller once",
    () =>
      Effect.gen(function* () {
        const { isServed, reviewed, served, tls } = yield* start
        const request = "GET /pods HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer user\r\n\r\n"
        const all = yield* openAll(5, () =>
          tls((socket) => {
            socket.write(request.repeat(20))
          })
        )
        while (served() < 100) yield* Effect.sleep("5 millis")
        assert.isFalse(all.some((socket) => socket.destroyed))
        assert.isAtMost(reviewed(), 2, "one for the path, one for its proxy")
        assert.strictEqual(yield* isServed(), "200")
      }).pipe(Effect.scoped)
  )

  it.live("survives clients that leave at any moment", () =>
    Effect.gen(function* () {
      const { isServed, kept, port, tls } = yield* start
      for (let round = 0; round < 10; round++) {
        const handshake = kept(connect({ port, host: "127.0.0.1" }))
        handshake.on("connect", () => {
          handshake.write(Buffer.from("1603010200010001fc0303", "hex"))
          setTimeout(() => handshake.resetAndDestroy(), round)
        })
        const leave = (text: string, after: number) =>
          tls((socket) => {
            socket.write(text)
            setTimeout(() => socket.destroy(), after)
          })
        const all = [
          handshake,
          leave("GET /pods HTTP/1.1\r\nHo", 0),
          leave(opening("user"), 0),
          leave(opening("user"), 3),
          leave(`${opening("user")}\x80\x03\x00\x01`, 5)
        ]
        for (const socket of all) yield* closing(socket)
      }
      assert.strictEqual(yield* isServed(), "200")
      assert.strictEqual(yield* isServed("/healthz"), "200")
    }).pipe(Effect.scoped)
  )
})
