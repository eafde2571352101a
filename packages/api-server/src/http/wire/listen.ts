import type { IncomingMessage, Server, ServerResponse } from "node:http"
import { createServer as createSecureServer, Server as SecureServer } from "node:https"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"
import type { TLSSocket } from "node:tls"
import { type ListenFailed, type ListenFlagNames, listenFailed } from "@rollcall/input"
import { offerUpgrade } from "@rollcall/streams"
import type { HandleError } from "@rollcall/time"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { acceptPlain } from "./acceptPlain.ts"
import { type Closer, connectionOf } from "./Connections.ts"
import { type Drained, type DrainOptions, defaultDrain, drainServer } from "./drainServer.ts"
import type { HttpRequest, HttpResponse } from "./HttpPort.ts"
import { http1Refusal, type ParserError, parserRefusal } from "./http1Refusals.ts"
import { type Http2Server, makeHttp2Server } from "./http2Server.ts"
import { nodeHttp } from "./nodeHttp.ts"
import { trackSecureConnections } from "./trackSecureConnections.ts"
import { answerOn, handleHead, unknownMethodHead } from "./unknownMethod.ts"

export interface TlsOptions {
  /** The private key and the certificate, as PEM. */
  readonly key: string
  readonly cert: string
  /** The CA of valid client certificates, as PEM. Without it, clients cannot present certificates. */
  readonly clientCa?: string
}

export interface ListenOptions {
  readonly host: string
  /** 0 for any free port. */
  readonly port: number
  /** Without it the server speaks plain HTTP. */
  readonly tls?: TlsOptions
  /** The names of the flags that set the address, for error messages. */
  readonly flagNames?: ListenFlagNames
  /** How the server stops; by default it ends watches at once and waits five seconds for requests. */
  readonly drain?: Partial<DrainOptions>
}

/** The address on which the server listens. */
export interface Listening {
  readonly host: string
  readonly port: number
  /** Serves new connections with other keys. Does nothing without TLS. */
  readonly renew: (tls: TlsOptions) => void
}

/** Requests with larger headers are refused with 431. */
const MAX_HEADER_BYTES = 64 * 1024
const MAX_HEADERS = 200
/** Node's own limit, reached only if those of `BodyReader` and `Connections`, which are shorter, fail. */
const REQUEST_TIMEOUT_MS = 120_000
/**
 * Upstream: apiserver/pkg/server/secure_serving.go, ReadHeaderTimeout, which also limits the handshake, and
 * IdleTimeout.
 */
const HEADERS_TIMEOUT_MS = 32_000
const KEEP_ALIVE_MS = 90_000
/** The interval at which Node checks timeouts; its default is half a minute. */
const CHECK_MS = 5_000

/** The handler of a server's requests, and what the server tells it; `makeHandler` makes one. */
export interface ServedHandler extends Drained {
  readonly handle: (request: HttpRequest, response: HttpResponse) => void
  readonly dateLine: () => string
  readonly handleError: HandleError
  readonly onTlsError: () => void
  /** Whether the request may be answered in another protocol, if it asks for one; by default none may. */
  readonly mayUpgrade?: (request: Pick<HttpRequest, "headers" | "url">) => boolean
}

/** Leaves upgrades to the handler where it may agree to them; other requests go on without. */
const upgradesOf = ({ mayUpgrade }: ServedHandler) => ({
  shouldUpgradeCallback: (request: IncomingMessage) => mayUpgrade?.(request) === true
})

const settings = {
  maxHeaderSize: MAX_HEADER_BYTES,
  requestTimeout: REQUEST_TIMEOUT_MS,
  headersTimeout: HEADERS_TIMEOUT_MS,
  keepAliveTimeout: KEEP_ALIVE_MS,
  connectionsCheckingInterval: CHECK_MS,
  // `http1Refusal` checks it, with the messages of Go's server.
  requireHostHeader: false,
  noDelay: true
}

/** Returns a listener that refuses requests as Go's server would, with its messages, and handles the others. */
const refusingMalformed =
  (handle: ServedHandler["handle"]) =>
  (request: IncomingMessage, response: ServerResponse): void => {
    const refusal = http1Refusal(request)
    if (refusal === undefined && request.method === "OPTIONS" && request.url === "*") {
      response.writeHead(200, { "Content-Length": 0 }).end()
      return
    }
    if (refusal === undefined) {
      handle(request, response)
      return
    }
    const headers = { "Content-Type": "text/plain; charset=utf-8", Connection: "close" }
    response.writeHead(refusal.code, refusal.message, headers)
    response.end(refusal.body)
  }

/** Answers the last request of a connection; one with an earlier request at work ends without. */
const answerAlone = (stream: Duplex, answer: (socket: Socket) => void): void => {
  const socket = stream as Socket & { readonly _httpMessage?: unknown }
  socket.on("error", () => socket.destroy())
  if (socket._httpMessage) socket.destroy()
  else answer(socket)
}

/**
 * Handles CONNECT, which Node hands over with its socket, as a request of any method: Kubernetes refuses it by its path.
 * Its connection ends with the answer.
 */
const answerConnect =
  (handle: ServedHandler["handle"]) =>
  (request: IncomingMessage, stream: Duplex): void =>
    answerAlone(stream, (socket) => answerOn(socket, request, refusingMalformed(handle)))

/** Handles a request that may be upgraded: without that, its connection ends with the answer. */
const answerUpgrade =
  (handle: ServedHandler["handle"]) =>
  (request: IncomingMessage, stream: Duplex, head: Buffer): void =>
    answerAlone(stream, (socket) => {
      offerUpgrade(request, { socket, head })
      answerOn(socket, request, refusingMalformed(handle))
    })

const closerOf = (socket: Socket & { readonly _httpMessage?: ServerResponse | null }): Closer => ({
  destroy: () => socket.destroy(),
  close: () => socket.destroy(),
  // Node has no public name for the response that a socket is sending.
  finish: () => {
    if (socket._httpMessage) socket._httpMessage.shouldKeepAlive = false
  }
})

/** Client certificates are requested and optional; a client without a valid one is anonymous or sends a token. */
const contextOf = ({ cert, clientCa, key }: TlsOptions) => ({
  key,
  cert,
  ...(clientCa === undefined ? {} : { ca: clientCa })
})

/** Returns Node's own listener of connections, which is not called any more by itself. */
const takeListener = (server: Server, event: "connection" | "secureConnection") => {
  const [listener] = server.listeners(event)
  server.removeAllListeners(event)
  return listener as ((this: Server, socket: Socket) => void) | undefined
}

const secureServer = (served: ServedHandler, tls: TlsOptions, http2: Http2Server): Server => {
  const { connections, handle } = served
  const server = createSecureServer(
    {
      ...settings,
      ...upgradesOf(served),
      handshakeTimeout: HEADERS_TIMEOUT_MS,
      ...contextOf(tls),
      ALPNProtocols: ["h2", "http/1.1"],
      ...(tls.clientCa === undefined ? {} : { requestCert: true, rejectUnauthorized: false })
    },
    refusingMalformed(handle)
  )
  // Node's own http2 server with allowHTTP1 would handle HTTP/1 connections without this server's timeouts.
  const accept = acceptPlain(server, { ...served, nodeListener: takeListener(server, "secureConnection"), closerOf })
  const connectionOfSocket = trackSecureConnections(server, connections, closerOf)
  server.on("secureConnection", (socket: TLSSocket) => {
    const connection = connectionOfSocket(socket)
    if (socket.alpnProtocol === "h2") http2.accept(socket, connection)
    else accept(socket, connection)
  })
  return server
}

const plainServer = (served: ServedHandler): Server => {
  const { connections, handle } = served
  const server = nodeHttp.createServer({ ...settings, ...upgradesOf(served) }, refusingMalformed(handle))
  const accept = acceptPlain(server, { ...served, nodeListener: takeListener(server, "connection"), closerOf })
  server.on("connection", (socket: Socket) => {
    const connection = connections.add(closerOf(socket))
    socket.on("close", () => connections.remove(connection))
    accept(socket, connection)
  })
  return server
}

const makeServer = (served: ServedHandler, { tls }: ListenOptions, http2: Http2Server): Server => {
  const server = tls === undefined ? plainServer(served) : secureServer(served, tls, http2)
  server.maxHeadersCount = MAX_HEADERS
  server.on("connect", answerConnect(served.handle))
  server.on("upgrade", answerUpgrade(served.handle))
  const answered = new WeakSet<Socket>()
  server.on("clientError", (error: ParserError, socket: Socket) => {
    if (error.code === "ECONNRESET" || !socket.writable) {
      socket.destroy()
      return
    }
    // What arrives after the head of such a request is refused, too.
    if (answered.has(socket)) return
    const head = unknownMethodHead(error, MAX_HEADERS)
    if (head === undefined) return void socket.end(parserRefusal(error))
    answered.add(socket)
    answerAlone(socket, (alone) => handleHead(head, alone, refusingMalformed(served.handle)))
  })
  server.on("tlsClientError", (_error, socket) => {
    served.onTlsError()
    socket.destroy()
  })
  return server
}

/**
 * Listens and serves until the scope closes: then it accepts no more connections and requests, ends watches, and lets
 * requests in progress complete.
 */
export const listen = (
  served: ServedHandler,
  options: ListenOptions
): Effect.Effect<Listening, ListenFailed, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.callback<readonly [Server, Http2Server], ListenFailed>((resume) => {
        try {
          const http2 = makeHttp2Server(served.handle, served.connections)
          const server = makeServer(served, options, http2)
          server.once("error", (error) => resume(Effect.fail(listenFailed(error, options))))
          server.listen(options.port, options.host, () => {
            server.removeAllListeners("error")
            // A connection could not be accepted, for lack of a file descriptor: the next one may succeed.
            server.on("error", (error) => served.handleError("listener", error))
            resume(Effect.succeed([server, http2] as const))
          })
        } catch (cause) {
          const error = cause instanceof Error ? cause : new Error(String(cause))
          resume(Effect.fail(listenFailed(error, options)))
        }
      }),
      ([server, http2]) => drainServer(served, server, http2, { ...defaultDrain, ...options.drain })
    ),
    ([server]) => {
      const address = server.address()
      return {
        host: options.host,
        port: typeof address === "object" && address !== null ? address.port : options.port,
        renew: (tls: TlsOptions) => {
          if (server instanceof SecureServer) server.setSecureContext(contextOf(tls))
        }
      }
    }
  )

/** A client's certificate as DER; `invalid` if one was presented and failed verification. */
export type ClientCertificate = Uint8Array | "invalid" | undefined

const certificates = new WeakMap<object, { readonly certificate: ClientCertificate }>()

/** Returns the client's certificate, as TLS verified it; looked up once for each connection. */
export const verifiedCertificate = (request: HttpRequest): ClientCertificate => {
  const connection = connectionOf(request)
  const known = certificates.get(connection)
  if (known !== undefined) return known.certificate
  const certificate = peerCertificate(request.socket as TLSSocket)
  certificates.set(connection, { certificate })
  return certificate
}

const peerCertificate = (socket: TLSSocket): ClientCertificate => {
  if (!socket.encrypted) return undefined
  const { raw } = socket.getPeerCertificate()
  return raw === undefined || socket.authorized ? raw : "invalid"
}
