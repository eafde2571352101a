import { type ClientHttp2Session, connect as connectHttp2 } from "node:http2"
import { connect as connectTcp, type Socket } from "node:net"
import { connect as connectTls, type TLSSocket } from "node:tls"
import * as Effect from "effect/Effect"
import type { Target, Who } from "../Target.ts"

const HOST = "127.0.0.1"
const CONNECT_MS = 60_000
const refused = Effect.sync((): undefined => undefined)

/** An open connection; its fields record its end. */
export interface Open<Kind> {
  readonly socket: Kind
  readonly received: () => string
  readonly isClosed: () => boolean
}

const KEPT = 64 * 1024

const followed = <Kind extends Socket>(socket: Kind): Open<Kind> => {
  let text = ""
  let closed = false
  socket.on("data", (bytes: Buffer) => {
    if (text.length < KEPT) text += bytes.toString("latin1")
  })
  socket.on("error", () => {})
  socket.on("close", () => {
    closed = true
  })
  return { socket, received: () => text, isClosed: () => closed }
}

/** Opens a TCP connection without any data, not even TLS; undefined: refused. */
export const openTcp = (port: number) =>
  Effect.acquireRelease(
    Effect.callback<Open<Socket> | undefined>((resume) => {
      const socket = connectTcp({ host: HOST, port }, () => resume(Effect.succeed(followed(socket))))
      socket.on("error", () => resume(refused))
    }).pipe(Effect.timeoutOrElse({ duration: CONNECT_MS, orElse: () => refused })),
    (open) => Effect.sync(() => open?.socket.destroy())
  )

/** Opens a TLS connection with this ALPN protocol; undefined: refused. */
export const openTls = ({ ca, port }: Pick<Target, "ca" | "port">, protocol: "http/1.1" | "h2", more: object = {}) =>
  Effect.acquireRelease(
    Effect.callback<Open<TLSSocket> | undefined>((resume) => {
      const socket = connectTls({ host: HOST, port, ca, ALPNProtocols: [protocol], ...more }, () =>
        resume(Effect.succeed(followed(socket)))
      )
      socket.on("error", () => resume(refused))
    }).pipe(Effect.timeoutOrElse({ duration: CONNECT_MS, orElse: () => refused })),
    (open) => Effect.sync(() => open?.socket.destroy())
  )

/** Opens an HTTP/2 connection. */
export const openHttp2 = ({ ca, port }: Target) =>
  Effect.acquireRelease(
    Effect.callback<ClientHttp2Session | undefined>((resume) => {
      const session = connectHttp2(`https://${HOST}:${port}`, { ca }, () => resume(Effect.succeed(session)))
      session.on("error", () => resume(refused))
    }).pipe(Effect.timeoutOrElse({ duration: CONNECT_MS, orElse: () => refused })),
    (session) => Effect.sync(() => session?.destroy())
  )

/** Returns the `authorization` header for HTTP/2. */
export const authorization = (target: Target, who: Who): Readonly<Record<string, string>> => {
  const token = target.tokenOf(who)
  return token === undefined ? {} : { authorization: `Bearer ${token}` }
}

/** Returns the head of an HTTP/1.1 request without the empty line at its end. */
export const requestHead = (
  target: Target,
  who: Who,
  method: string,
  path: string,
  headers: Readonly<Record<string, string | number>> = {}
): string => {
  const all = { Host: `${HOST}:${target.port}`, ...authorization(target, who), ...headers }
  return [`${method} ${path} HTTP/1.1`, ...Object.entries(all).map(([name, value]) => `${name}: ${value}`), ""].join(
    "\r\n"
  )
}
