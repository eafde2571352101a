import { createServer, type Server } from "node:https"
import type { Socket } from "node:net"
import { type ConnectionLimits, Connections, makeWireTimers, trackSecureConnections } from "@rollcall/api-server/http"
import { type ListenFailed, type ListenFlagNames, listenFailed } from "@rollcall/input"
import { loggedErrors } from "@rollcall/time"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import {
  KubeletHandler,
  type KubeletHandlerOptions,
  mayUpgrade,
  REQUEST_TIMEOUT_MS,
  refuse,
  send
} from "./KubeletHandler.ts"

export interface KubeletServerOptions extends KubeletHandlerOptions {
  readonly host: string
  readonly port: number
  readonly flagNames: ListenFlagNames
  /** The serving certificate and its key; asked once a minute, since it may be renewed. */
  readonly certificate: () => { readonly key: string; readonly cert: string }
  /** The CA of client certificates. */
  readonly clientCa: string
  /** Overrides the limits of connections. */
  readonly limits?: Partial<ConnectionLimits>
}

/** Clients that send or read too slowly are cut off. */
const HEADERS_TIMEOUT_MS = 10_000
/** How often Node looks for requests that take too long. */
const TIMEOUT_CHECK_MS = 5_000
/** How long a client may read nothing of an answer. */
const ANSWER_TIMEOUT_MS = 30_000
const CERTIFICATE_CHECK_MS = 60_000
/** When there are too many, those without a known caller are closed first, then idle ones. */
const connectionLimits: ConnectionLimits = {
  most: 500,
  unidentified: 250,
  headerMs: HEADERS_TIMEOUT_MS,
  idleMs: 90_000,
  checkMs: 1_000
}

const closerOf = (socket: Socket) => ({ destroy: () => socket.destroy(), close: () => socket.destroy() })

/** Makes a server of kubelets that listens on no port yet; it closes with the scope. */
export const makeKubeletServer = (
  options: Omit<KubeletServerOptions, "host" | "port" | "flagNames">
): Effect.Effect<Server, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { certificate, clientCa: ca } = options
    const handleError = yield* loggedErrors
    const connections = new Connections(yield* makeWireTimers, { ...connectionLimits, ...options.limits })
    const handler = new KubeletHandler(options, connections, (error) => handleError("kubelet server", error))
    const server = createServer(
      {
        ...certificate(),
        ca,
        requestCert: true,
        rejectUnauthorized: false,
        shouldUpgradeCallback: mayUpgrade,
        headersTimeout: HEADERS_TIMEOUT_MS,
        requestTimeout: REQUEST_TIMEOUT_MS,
        handshakeTimeout: HEADERS_TIMEOUT_MS,
        connectionsCheckingInterval: TIMEOUT_CHECK_MS
      },
      (request, response) => {
        handler.handle(request, response).catch((error: unknown) => {
          handleError("kubelet server", error, { path: request.url })
          send(response, 500, "Internal Server Error")
        })
      }
    )
    server.timeout = ANSWER_TIMEOUT_MS
    const track = trackSecureConnections(server, connections, closerOf)
    server.prependListener("secureConnection", track)
    // Without a listener, Node cuts off requests for another protocol.
    server.on("upgrade", (request, socket, head) => {
      // Node no longer listens to the errors of such a socket: a client that resets it would end the process.
      socket.on("error", () => socket.destroy())
      handler.upgrade(request, { socket: socket as Socket, head }).catch((error: unknown) => {
        handleError("kubelet server", error, { path: request.url })
        refuse(socket, 500, "Internal Server Error")
      })
    })
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        server.closeAllConnections()
        server.close()
      })
    )
    // As when no file can be opened for another connection.
    server.on("error", (error) => handleError("kubelet server", error))
    const renew = Effect.sync(() => {
      try {
        server.setSecureContext({ ...certificate(), ca })
      } catch (error) {
        handleError("kubelet server certificate", error)
      }
    })
    yield* Effect.sleep(CERTIFICATE_CHECK_MS).pipe(Effect.andThen(renew), Effect.forever, Effect.forkScoped)
    return server
  })

/**
 * Serves the API of a kubelet until the scope closes, and returns its port. Upstream: pkg/kubelet/server/server.go,
 * ListenAndServeKubeletServer.
 */
export const kubeletServer = (options: KubeletServerOptions): Effect.Effect<number, ListenFailed, Scope.Scope> =>
  Effect.gen(function* () {
    const { flagNames, host, port } = options
    const server = yield* makeKubeletServer(options)
    yield* Effect.callback<void, ListenFailed>((resume) => {
      server.once("error", (error: NodeJS.ErrnoException) =>
        resume(Effect.fail(listenFailed({ code: error.code, message: error.message }, { flagNames, host, port })))
      )
      server.listen(port, host, () => resume(Effect.void))
    })
    const address = server.address()
    return typeof address === "object" && address !== null ? address.port : port
  })
