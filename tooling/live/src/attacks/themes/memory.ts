import type { ClientHttp2Session } from "node:http2"
import { get } from "node:https"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { startProgram } from "../../process/Program.ts"
import { becomesReady, freePort, TOOL, temporaryFolder } from "../../process/rollcall.ts"
import type { Attack } from "../Attack.ts"
import type { Who } from "../Request.ts"
import type { Target } from "../Target.ts"
import { END_STREAM, FrameType, frame, headerBlock, PREFACE } from "../wire/frames.ts"
import { authorization, type Open, openHttp2, openTcp, openTls, requestHead } from "../wire/sockets.ts"

const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"
const SILENT_MS = 40_000

/** Sends a request whose response is never read. */
const ask = (target: Target, session: ClientHttp2Session, who: Who, path: string) => {
  const stream = session.request({ ":path": path, ...authorization(target, who) })
  stream.on("error", () => {})
  stream.pause()
  return stream
}

const large = (target: Target, count: number) =>
  Effect.forEach(
    Array.from({ length: count }, (_, index) => index),
    (index) =>
      target.ask("tenant", {
        method: "POST",
        path: CONFIG_MAPS,
        body: {
          apiVersion: "v1",
          kind: "ConfigMap",
          metadata: { name: `unread-${index}` },
          data: { x: "y".repeat(500_000) }
        }
      }),
    { concurrency: 4, discard: true }
  )

const unread = (name: string, about: string, path: string, keep: number, churn = false): Attack => ({
  name: `memory/${name}`,
  about,
  run: (target, scale) =>
    Effect.gen(function* () {
      yield* large(target, Math.ceil(40 * scale))
      let asked = 0
      for (let index = 0; index < Math.ceil(10 * scale); index++) {
        const session = yield* openHttp2(target)
        if (session === undefined) continue
        session.on("error", () => {})
        for (let stream = 0; stream < Math.ceil(100 * scale); stream++, asked++) ask(target, session, "tenant", path)
      }
      const until = (yield* Clock.currentTimeMillis) + keep * Math.max(scale, 0.1)
      let count = 0
      while ((yield* Clock.currentTimeMillis) < until) {
        if (churn) {
          yield* target.ask("tenant", {
            method: "PATCH",
            path: `${CONFIG_MAPS}/unread-0`,
            headers: { "content-type": "application/merge-patch+json" },
            body: { data: { n: String(count++) } }
          })
        }
        yield* Effect.sleep(100)
      }
      yield* target.ask("admin", { method: "DELETE", path: CONFIG_MAPS })
      return { finding: `${asked} answers left unread`, holds: true }
    })
})

const unreadHttp1: Attack = {
  name: "memory/unread-lists-http1",
  about: "lists of 20 MB over 200 connections of HTTP/1.1, never read",
  run: (target, scale) =>
    Effect.gen(function* () {
      yield* large(target, Math.ceil(40 * scale))
      const count = Math.ceil(200 * scale)
      for (let index = 0; index < count; index++) {
        const open = yield* openTls(target, "http/1.1")
        open?.socket.pause()
        open?.socket.write(`${requestHead(target, "tenant", "GET", CONFIG_MAPS)}\r\n`)
      }
      yield* Effect.sleep(10_000 * Math.max(scale, 0.1))
      yield* target.ask("admin", { method: "DELETE", path: CONFIG_MAPS })
      return { finding: `${count} answers left unread`, holds: true }
    })
}

const rewrites: Attack = {
  name: "memory/large-rewrites",
  about: "an object of a megabyte, written again and again: history of what it was",
  run: (target, scale) =>
    Effect.gen(function* () {
      yield* large(target, 1)
      const refused = new Set<number>()
      yield* Effect.forEach(
        Array.from({ length: Math.ceil(1500 * scale) }, (_, index) => index),
        (index) =>
          Effect.map(
            target.ask("tenant", {
              method: "PUT",
              path: `${CONFIG_MAPS}/unread-0`,
              body: {
                apiVersion: "v1",
                kind: "ConfigMap",
                metadata: { name: "unread-0" },
                data: { x: `${index}${"y".repeat(1_000_000)}` }
              }
            }),
            ({ code }) => refused.add(code)
          ),
        { concurrency: 4, discard: true }
      )
      yield* target.ask("admin", { method: "DELETE", path: CONFIG_MAPS })
      return { finding: `answered ${[...refused].join(", ")}`, holds: [...refused].every((code) => code < 500) }
    })
}

/** Opens connections that then stay silent, and reports how many the server has closed 40 s later. */
const silent = <Kind>(
  name: string,
  about: string,
  count: number,
  open: (
    target: Target
  ) => Effect.Effect<
    Open<Kind & { readonly write: (bytes: string | Buffer) => unknown }> | undefined,
    never,
    Scope.Scope
  >,
  say: (target: Target) => string | Buffer | undefined
): Attack => ({
  name: `memory/${name}`,
  about,
  run: (target, scale) =>
    Effect.gen(function* () {
      const opened = yield* Effect.forEach(Array.from({ length: Math.ceil(count * scale) }), () => open(target), {
        concurrency: 64
      })
      const words = say(target)
      if (words !== undefined) for (const one of opened) one?.socket.write(words)
      const until = (yield* Clock.currentTimeMillis) + SILENT_MS
      const closed = () => opened.filter((one) => one === undefined || one.isClosed()).length
      while (closed() < opened.length && (yield* Clock.currentTimeMillis) < until) yield* Effect.sleep(500)
      const left = opened.length - closed()
      return {
        finding: `${opened.length} connections, ${left} still open after ${SILENT_MS / 1000} s`,
        holds: left === 0
      }
    })
})

const DESCRIPTORS = 256
const CONNECTIONS = 600
const LOOKS = 5

/** Attacks a separate server with a low limit of open files. */
const descriptors: Attack = {
  name: "memory/few-descriptors",
  about: "more connections than the server may open files",
  run: () =>
    Effect.gen(function* () {
      const folder = yield* temporaryFolder
      const port = yield* freePort
      const program = yield* startProgram("sh", [
        ...["-c", `ulimit -n ${DESCRIPTORS}; exec "$@"`, "sh", process.execPath, TOOL],
        ...["apiserver", "--data-dir", folder, "--secure-port", String(port)]
      ])
      if (!(yield* becomesReady(port, program.hasEnded))) return { finding: program.stderr(), holds: false }
      const opened = yield* Effect.forEach(
        Array.from({ length: CONNECTIONS }, () => port),
        (at) => openTcp(at),
        { concurrency: 16 }
      )
      const codes: Array<number> = []
      for (let look = 0; look < LOOKS; look++) {
        const [code] = yield* Effect.all([livez(port), Effect.sleep(1000)], { concurrency: 2 })
        codes.push(code)
      }
      const open = opened.filter((one) => one?.isClosed() === false).length
      return {
        finding: `${opened.length} connections, ${open} still open; /livez meanwhile: ${codes.join(", ")}`,
        holds: codes.every((code) => code === 200) && !program.hasEnded()
      }
    }).pipe(Effect.scoped)
}

const LIVEZ_MS = 10_000

/** Returns the status code of /livez over a new connection; 0: no response within 10 s. */
const livez = (port: number): Effect.Effect<number> =>
  Effect.callback<number>((resume) => {
    const asked = get(
      { host: "127.0.0.1", port, path: "/livez", agent: false, rejectUnauthorized: false },
      (answer) => {
        answer.resume()
        resume(Effect.succeed(answer.statusCode ?? 0))
      }
    )
    asked.on("error", () => resume(Effect.succeed(0)))
    return Effect.sync(() => asked.destroy())
  }).pipe(Effect.timeoutOrElse({ duration: LIVEZ_MS, orElse: () => Effect.succeed(0) }))

const SETTINGS = frame(FrameType.settings, 0, 0)

/** Returns the start of a request's headers, without their end. */
const halfHeaders = (target: Target): Buffer =>
  Buffer.concat([
    PREFACE,
    SETTINGS,
    frame(
      FrameType.headers,
      END_STREAM,
      1,
      headerBlock({ ":method": "GET", ":path": "/livez", ":scheme": "https", ":authority": `127.0.0.1:${target.port}` })
    )
  ])

/** Attacks on the server's memory by clients that do not read or stay silent. */
export const memory: ReadonlyArray<Attack> = [
  unread("unread-lists", "lists of 20 MB over HTTP/2, never read", CONFIG_MAPS, 10_000),
  unread("unread-openapi", "OpenAPI documents over HTTP/2, never read", "/openapi/v2", 10_000),
  unread(
    "unread-watches",
    "watches that begin with 20 MB, never read, while objects change",
    `${CONFIG_MAPS}?watch=true&resourceVersion=0`,
    20_000,
    true
  ),
  unreadHttp1,
  rewrites,
  descriptors,
  silent(
    "silent-tcp",
    "connections without a word",
    1500,
    (target) => openTcp(target.port),
    () => undefined
  ),
  silent(
    "silent-tls",
    "TLS connections without a request",
    800,
    (target) => openTls(target, "http/1.1"),
    () => undefined
  ),
  silent(
    "silent-http2",
    "HTTP/2 connections without a request",
    800,
    (target) => openTls(target, "h2"),
    () => Buffer.concat([PREFACE, SETTINGS])
  ),
  silent(
    "half-headers",
    "requests whose headers never end",
    400,
    (target) => openTls(target, "http/1.1"),
    (target) => requestHead(target, "tenant", "GET", "/livez")
  ),
  silent(
    "half-headers-http2",
    "HTTP/2 header blocks that never end",
    400,
    (target) => openTls(target, "h2"),
    halfHeaders
  )
]
