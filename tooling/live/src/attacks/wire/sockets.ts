import { type ClientHttp2Session, connect as connectHttp2 } from "node:http2"
import { connect as connectTcp, type Socket } from "node:net"
import { connect as connectTls, type TLSSocket } from "node:tls"
import * as Effect from "effect/Effect"
import type { Who } from "../Request.ts"
import type { Target } from "../Target.ts"

const HOST = "127.0.0.1"
const CONNECT_TIMEOUT_MS = 60_000
const noConnection = Effect.sync((): undefined => undefined)

/** An open connection, with the data that was received on it. */
export interface Open<Kind> {
  readonly socket: Kind
  readonly received: () => string
  readonly isClosed: () => boolean
}

/** Later data is discarded: attacks need only the beginning of a response. */
const MAX_RECEIVED_CHARACTERS = 64 * 1024

const observeSocket = <Kind extends Socket>(socket: Kind): Open<Kind> => {
  let text = ""
  let closed = false
  socket.on("data", (bytes: Buffer) => {
    if (text.length < MAX_RECEIVED_CHARACTERS) text += bytes.toString("latin1")
  })
  socket.on("error", () => {})
  socket.on("close", () => {
    closed = true
  })
  return { socket, received: () => text, isClosed: () => closed }
}

/** Opens a TCP connection and sends nothing, not even a TLS handshake. Returns undefined if there is no connection. */
export const openTcp = (port: number) =>
  Effect.acquireRelease(
    Effect.callback<Open<Socket> | undefined>((resume) => {
      const socket = connectTcp({ host: HOST, port }, () => resume(Effect.succeed(observeSocket(socket))))
      socket.on("error", () => resume(noConnection))
    }).pipe(Effect.timeoutOrElse({ duration: CONNECT_TIMEOUT_MS, orElse: () => noConnection })),
    (open) => Effect.sync(() => open?.socket.destroy())
  )

/** Opens a TLS connection with this ALPN protocol. Returns undefined if there is no connection. */
export const openTls = ({ ca, port }: Pick<Target, "ca" | "port">, protocol: "http/1.1" | "h2", more: object = {}) =>
  Effect.acquireRelease(
    Effect.callback<Open<TLSSocket> | undefined>((resume) => {
      const socket = connectTls({ host: HOST, port, ca, ALPNProtocols: [protocol], ...more }, () =>
        resume(Effect.succeed(observeSocket(socket)))
      )
      socket.on("error", () => resume(noConnection))
    }).pipe(Effect.timeoutOrElse({ duration: CONNECT_TIMEOUT_MS, orElse: () => noConnection })),
    (open) => Effect.sync(() => open?.socket.destroy())
  )

/** Opens an HTTP/2 connection. Returns undefined if there is no connection. */
export const openHttp2 = ({ ca, port }: Target) =>
  Effect.acquireRelease(
    Effect.callback<ClientHttp2Session | undefined>((resume) => {
      const session = connectHttp2(`https://${HOST}:${port}`, { ca }, () => resume(Effect.succeed(session)))
      session.on("error", () => resume(noConnection))
    }).pipe(Effect.timeoutOrElse({ duration: CONNECT_TIMEOUT_MS, orElse: () => noConnection })),
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
