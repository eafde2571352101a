import { mkdtempSync, rmSync } from "node:fs"
import { type ClientHttp2Session, connect as connectHttp2, type Settings } from "node:http2"
import { connect, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { openPki, type Pki } from "@rollcall/pki"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { TlsOptions } from "../../src/http/wire/listen.ts"
import type { RunningServer } from "./startServer.ts"

/** A TCP connection on which the test chooses every byte. */
export interface Wire {
  readonly socket: Socket
  /** Returns the bytes received so far, as latin1. */
  readonly received: () => string
  /** Waits until the last bytes match or the connection has ended; returns all bytes received, as latin1. */
  readonly until: (pattern: RegExp) => Effect.Effect<string>
  readonly closed: Effect.Effect<void>
}

/** The number of last bytes in which `until` looks for its pattern, so that long responses take linear time. */
const TAIL = 64 * 1024

/** Opens a connection to the local port, sends `text`, and closes it with the scope. */
export const openWire = (port: number, text = ""): Effect.Effect<Wire, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.callback<Wire>((resume) => {
      const pieces: Array<string> = []
      let tail = ""
      const received = () => pieces.join("")
      let ended = false
      const waiting = new Set<() => void>()
      const changed = () => {
        for (const look of [...waiting]) look()
      }
      const socket = connect(port, "127.0.0.1", () => {
        socket.write(text)
        resume(Effect.succeed(made))
      })
      socket.on("data", (chunk) => {
        const piece = chunk.toString("latin1")
        pieces.push(piece)
        tail = (tail + piece).slice(-TAIL)
        changed()
      })
      socket.on("error", () => {})
      socket.on("close", () => {
        ended = true
        changed()
      })
      const when = (isSo: () => boolean) =>
        Effect.callback<string>((done) => {
          const look = () => {
            if (!isSo()) return
            waiting.delete(look)
            done(Effect.succeed(received()))
          }
          waiting.add(look)
          look()
        })
      const made: Wire = {
        socket,
        received,
        until: (pattern) => when(() => ended || pattern.test(tail)),
        closed: Effect.asVoid(when(() => ended))
      }
    }),
    ({ socket }) => Effect.sync(() => socket.destroy())
  )

/** Returns the request line and headers of a request, with `Host`. */
export const head = (method: string, path: string, headers: Readonly<Record<string, string | number>> = {}): string =>
  [
    `${method} ${path} HTTP/1.1`,
    "Host: x",
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    "",
    ""
  ].join("\r\n")

/** Creates keys and certificates of a cluster, in a folder that is removed with the scope; the server has these names, too. */
export const makeKeysFor = Effect.fnUntraced(function* (...names: ReadonlyArray<string>) {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "rollcall-http-"))),
    (made) => Effect.sync(() => rmSync(made, { recursive: true, force: true }))
  )
  const nowMs = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
  return yield* Effect.orDie(openPki({ folder: join(folder, "pki"), nowMs, names }))
})

export const makeKeys: Effect.Effect<Pki, never, Scope.Scope> = makeKeysFor()

export const tlsOf = (pki: Pki): TlsOptions => ({
  key: pki.server.keyPem,
  cert: pki.server.certificatePem,
  clientCa: pki.authorityPem
})

/** An HTTP/2 connection, closed with the scope. */
export const openHttp2Session = (
  pki: Pki,
  { port }: RunningServer,
  settings: Settings = {}
): Effect.Effect<ClientHttp2Session, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.callback<ClientHttp2Session>((resume) => {
      const session = connectHttp2(`https://127.0.0.1:${port}`, { ca: pki.authorityPem, settings }, () =>
        resume(Effect.succeed(session))
      )
      session.on("error", (error) => resume(Effect.die(error)))
    }),
    (session) => Effect.sync(() => session.destroy())
  )

/** One request over HTTP/2. */
export const askHttp2 = (session: ClientHttp2Session, method: string, path: string, token = "", body?: object) =>
  Effect.callback<{ readonly code: number; readonly body: string }>((resume) => {
    const stream = session.request({
      ":method": method,
      ":path": path,
      ...(token === "" ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" })
    })
    let code = 0
    let text = ""
    stream.on("response", (headers) => {
      code = Number(headers[":status"])
    })
    stream.on("data", (chunk: Buffer) => {
      text += chunk.toString()
    })
    stream.on("error", () => {})
    stream.on("close", () => resume(Effect.succeed({ code, body: text })))
    stream.end(body === undefined ? undefined : JSON.stringify(body))
  })

export const CLUSTER_ROLE_BINDINGS = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings"

/** Returns a ClusterRoleBinding that makes the user a cluster admin. */
export const clusterAdminBinding = (user: string) => ({
  metadata: { name: `allow-${user}` },
  roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
  subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: user }]
})

export const makeClusterAdmin = ({ ask }: RunningServer, user: string) =>
  ask("POST", CLUSTER_ROLE_BINDINGS, { body: clusterAdminBinding(user) })
