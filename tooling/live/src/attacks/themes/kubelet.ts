import { selfSigned } from "@rollcall/pki"
import * as Effect from "effect/Effect"
import type { Attack } from "../Attack.ts"
import { ATTACKED_NODE, CONTAINER, POD } from "../KubeletTarget.ts"
import { ATTACKER, attack, closedOf, EXEC, head, LOGS, open, openMany, spdy, webSocket } from "../kubeletAttack.ts"
import { openTcp } from "../wire/sockets.ts"

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"]
const PATHS = [
  "/pods",
  "/pods/",
  "/runningpods/",
  "/stats/summary",
  "/metrics",
  "/metrics/resource",
  "/metrics/probes",
  "/metrics/cadvisor",
  "/metrics/slis",
  "/configz",
  "/statusz",
  "/flagz",
  "/healthz",
  "/healthz/syncloop",
  "/logs/",
  "/debug/pprof/",
  `/checkpoint/default/${POD}/${CONTAINER}`,
  LOGS,
  EXEC,
  `/attach/default/${POD}/${CONTAINER}?stdout=true`,
  `/portForward/default/${POD}`,
  `/run/default/${POD}/${CONTAINER}?cmd=ls`,
  "/",
  "*",
  "",
  "//pods",
  "/./pods",
  "/healthz/../pods",
  "/%70ods",
  "/%2e%2e/pods",
  "/healthz/%2e%2e/pods",
  "/pods%00",
  "/pods%2f",
  "/pods;x=y",
  "/PODS",
  "/pods?x=%zz",
  "/%ff",
  "/%",
  `http://${ATTACKED_NODE}/pods`,
  `/${"a/".repeat(4000)}`
]

const withoutRights = attack(
  "without-rights",
  "every path and method without a credential that has rights",
  (kubelet) =>
    Effect.gen(function* () {
      const own = selfSigned(["system:masters"], 0)
      const callers: ReadonlyArray<readonly [string, string | undefined, object]> = [
        ["anonymous", undefined, {}],
        ["wrong token", "nobody", {}],
        ["without rights", "token-stranger", {}],
        ["tenant", "token-tenant", {}],
        ["another node", "token-node-1", {}],
        ["foreign certificate", undefined, { key: own.keyPem, cert: own.certificatePem }]
      ]
      const answers = new Map<number, number>()
      const letIn: Array<string> = []
      const asked = callers.flatMap(([who, token, more]) =>
        PATHS.flatMap((path) =>
          METHODS.flatMap((method) =>
            [{}, webSocket, spdy].map((headers) => ({ who, token, request: { method, path, headers, ...more } }))
          )
        )
      )
      yield* Effect.forEach(
        // Each method and upgrade for each path; one of the callers for each, in turn.
        asked.filter((_, index) => index % 7 === 0),
        ({ request, token, who }) =>
          Effect.map(kubelet.ask(token, request), (code) => {
            answers.set(code, (answers.get(code) ?? 0) + 1)
            if (code === 101 || (code >= 200 && code < 400))
              letIn.push(`${who} ${request.method} ${request.path}: ${code}`)
          }),
        { concurrency: 8, discard: true }
      )
      const told = [...answers].toSorted().map(([code, count]) => `${code}: ${count}`)
      return { finding: [...told, ...letIn.slice(0, 5)].join(", "), holds: letIn.length === 0 }
    })
)

const silence = (scale: number, ms: number) => Effect.sleep(ms * Math.max(scale, 0.05))

const slowHeads = attack("slow-heads", "heads of requests that never end, a line at a time", (kubelet, scale) =>
  Effect.gen(function* () {
    const all = yield* openMany(kubelet, 1000 * scale, head(ATTACKER, "GET", "/pods"))
    for (let line = 0; line < Math.ceil(30 * scale); line++) {
      for (const one of all) if (one?.isClosed() === false) one.socket.write("X: y\r\n")
      yield* Effect.sleep(500)
    }
    return { finding: `${closedOf(all)} of ${all.length} closed`, holds: true }
  })
)

const slowBodies = attack("slow-bodies", "bodies of requests that never end, a byte at a time", (kubelet, scale) =>
  Effect.gen(function* () {
    const text = `${head(ATTACKER, "POST", "/stats/summary", { "Content-Length": "100000000" })}\r\n`
    const all = yield* openMany(kubelet, 1000 * scale, text)
    for (let byte = 0; byte < Math.ceil(70 * scale); byte++) {
      for (const one of all) if (one?.isClosed() === false) one.socket.write("x")
      yield* Effect.sleep(500)
    }
    return { finding: `${closedOf(all)} of ${all.length} closed`, holds: true }
  })
)

const huge = attack("huge", "heads of megabytes, bodies without end", (kubelet, scale) =>
  Effect.gen(function* () {
    const heads = [
      `GET /${"a".repeat(1 << 20)} HTTP/1.1\r\nHost: a\r\n\r\n`,
      `${head(ATTACKER, "GET", "/pods")}${"x: y\r\n".repeat(100_000)}\r\n`,
      `${head(ATTACKER, "GET", "/pods", { X: "y".repeat(1 << 20) })}\r\n`
    ]
    const opened = yield* Effect.forEach(heads, (text) => openMany(kubelet, 20 * scale, text))
    const body = `${head(ATTACKER, "POST", "/stats/summary", { "Transfer-Encoding": "chunked" })}\r\n`
    const bodies = yield* openMany(kubelet, 20 * scale, body)
    const chunk = Buffer.from(`10000\r\n${"z".repeat(0x10000)}\r\n`)
    for (let round = 0; round < Math.ceil(500 * scale); round++) {
      for (const one of bodies) if (one?.isClosed() === false && !one.socket.writableNeedDrain) one.socket.write(chunk)
      yield* Effect.sleep(10)
    }
    const answers = opened.flat().map((one) => /^HTTP\/1.1 (\d+)/.exec(one?.received() ?? "")?.[1] ?? "closed")
    return { finding: `heads: ${[...new Set(answers)].join(", ")}`, holds: answers.every((code) => code !== "200") }
  })
)

const connections = attack(
  "connections",
  "connections that say nothing, before and after their handshake",
  (kubelet, scale) =>
    Effect.gen(function* () {
      const plain = yield* Effect.forEach(
        Array.from({ length: Math.ceil(3000 * scale) }),
        () => openTcp(kubelet.port),
        {
          concurrency: 32
        }
      )
      const secure = yield* openMany(kubelet, 1000 * scale, "")
      return {
        finding: `${closedOf(plain)} of ${plain.length}, ${closedOf(secure)} of ${secure.length} closed`,
        holds: true
      }
    })
)

const halfOpen = (name: string, headers: Readonly<Record<string, string>>) =>
  attack(`half-open-${name}`, `commands over ${name} whose clients do nothing, and do not leave`, (kubelet, scale) =>
    Effect.gen(function* () {
      const all = yield* openMany(kubelet, 600 * scale, `${head(ATTACKER, "GET", EXEC, headers)}\r\n`)
      yield* silence(scale, 2000)
      const accepted = all.filter((one) => one?.received().startsWith("HTTP/1.1 101")).length
      return { finding: `${accepted} of ${all.length} opened`, holds: accepted > 0 }
    })
  )

const unread = (name: string, about: string, count: number, path: string, method = "GET") =>
  attack(`unread-${name}`, about, (kubelet, scale) =>
    Effect.gen(function* () {
      const all = yield* Effect.forEach(
        Array.from({ length: Math.ceil(count * scale) }),
        () =>
          Effect.tap(open(kubelet), (one) =>
            Effect.sync(() => {
              one?.socket.pause()
              one?.socket.write(`${head(ATTACKER, method, path)}\r\n`.repeat(20))
            })
          ),
        { concurrency: 16 }
      )
      yield* silence(scale, 20_000)
      return { finding: `${all.length} connections that do not read, ${closedOf(all)} closed`, holds: true }
    })
  )

const read = attack("read-logs", "followed logs of a container that writes without end, read", (kubelet, scale) =>
  Effect.gen(function* () {
    const all = yield* openMany(kubelet, 1000 * scale, `${head(ATTACKER, "GET", `${LOGS}?follow=true`)}\r\n`)
    yield* silence(scale, 10_000)
    return { finding: `${all.length} readers, ${closedOf(all)} closed`, holds: true }
  })
)

/** One turn of this loop takes milliseconds of the processor. */
const BUSY = "for i in $(seq 1 10000); do seq 1 10000 > /dev/null; done"
const busyPath = `/exec/default/${POD}/${CONTAINER}?stdout=true${["sh", "-c", BUSY]
  .map((word) => `&command=${encodeURIComponent(word)}`)
  .join("")}`

const busy = attack("busy-commands", "commands that never wait", (kubelet, scale) =>
  Effect.gen(function* () {
    const all = yield* openMany(kubelet, 300 * scale, `${head(ATTACKER, "GET", busyPath, webSocket)}\r\n`)
    yield* silence(scale, 10_000)
    return { finding: `${all.length} commands, ${closedOf(all)} closed`, holds: true }
  })
)

/** Writes as much as is kept of one command; a tab is no space, which would divide the words. */
const MUCH = `sh -c ${"seq\t1\t10000;".repeat(60)}sleep\t1000`

/** A masked frame of a WebSocket, with a mask of zeros. */
const frame = (opcode: number, payload: Uint8Array): Buffer => {
  const length = payload.length < 126 ? Buffer.from([0x80 | payload.length]) : Buffer.alloc(3)
  if (payload.length >= 126) {
    length[0] = 0xfe
    length.writeUInt16BE(payload.length, 1)
  }
  return Buffer.concat([Buffer.from([0x80 | opcode]), length, Buffer.alloc(4), payload])
}

const flood = (name: string, headers: Readonly<Record<string, string>>, part: (round: number) => Buffer) =>
  attack(`flood-${name}`, `${name} without end over open commands`, (kubelet, scale) =>
    Effect.gen(function* () {
      const all = yield* openMany(kubelet, 20 * scale, `${head(ATTACKER, "GET", EXEC, headers)}\r\n`)
      for (let round = 0; round < Math.ceil(300 * scale); round++) {
        const bytes = part(round)
        for (const one of all) if (one?.isClosed() === false && !one.socket.writableNeedDrain) one.socket.write(bytes)
        yield* Effect.sleep(20)
      }
      return { finding: `${closedOf(all)} of ${all.length} closed`, holds: true }
    })
  )

const repeated = (count: number, of: () => Buffer): Buffer => Buffer.concat(Array.from({ length: count }, of))

/** Attacks on the port of a kubelet, by callers who have no rights, and by one who has all. */
export const kubelet: ReadonlyArray<Attack> = [
  withoutRights,
  slowHeads,
  slowBodies,
  huge,
  connections,
  halfOpen("WebSocket", webSocket),
  halfOpen("SPDY", spdy),
  unread("logs", "followed logs of a container that writes without end, never read", 300, `${LOGS}?follow=true`),
  read,
  busy,
  unread(
    "runs",
    "outputs of commands, held for clients that do not read",
    300,
    `/run/default/${POD}/${CONTAINER}?cmd=${encodeURIComponent(MUCH)}`,
    "POST"
  ),
  unread("answers", "answers that are never read", 600, "/pods"),
  flood("pings", webSocket, () => repeated(5000, () => frame(9, new Uint8Array()))),
  flood("input", webSocket, () =>
    repeated(20, () => frame(2, Buffer.concat([Buffer.from([0]), Buffer.alloc(60_000, "x")])))
  ),
  flood("garbage", webSocket, (round) => Buffer.alloc(60_000, round)),
  flood("spdy-garbage", spdy, (round) => Buffer.alloc(60_000, round))
]
