import { Connections, makeWireTimers } from "@rollcall/api-server/http"
import { type ListenFailed, listenFailed } from "@rollcall/input"
import { loggedErrors } from "@rollcall/time"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { KubeletHandler, type KubeletHandlerOptions, REQUEST_TIMEOUT_MS, send } from "./KubeletHandler.ts"

export interface ReadOnlyServerOptions extends Pick<KubeletHandlerOptions, "kubelet" | "pages"> {
  readonly host: string
  readonly port: number
}

const MAX_CONNECTIONS = 100
const HEADERS_TIMEOUT_MS = 10_000
const IDLE_TIMEOUT_MS = 30_000
const limits = {
  most: MAX_CONNECTIONS,
  unidentified: MAX_CONNECTIONS,
  headerMs: HEADERS_TIMEOUT_MS,
  idleMs: IDLE_TIMEOUT_MS,
  checkMs: 1_000
}

const FLAGS = { port: "--read-only-port", host: "--address" }
const everybody = { user: "system:anonymous", groups: [], uid: "", extra: {} }

/**
 * Serves what a kubelet shows to everybody, over plain HTTP: its pods, stats, metrics and health, until the scope closes. Returns its
 * port. Upstream: pkg/kubelet/server/server.go, ListenAndServeKubeletReadOnlyServer.
 */
export const readOnlyServer = (options: ReadOnlyServerOptions): Effect.Effect<number, ListenFailed, Scope.Scope> =>
  Effect.gen(function* () {
    const { host, port, ...served } = options
    const handleError = yield* loggedErrors
    const handler = new KubeletHandler(
      {
        ...served,
        access: {
          callerOf: () => Promise.resolve(everybody),
          decide: () => Promise.resolve({ allowed: true, reason: "" })
        },
        allowsAnonymous: true,
        allowsAll: true,
        isFineGrained: false,
        isReadOnly: true
      },
      new Connections(yield* makeWireTimers, limits),
      (error) => handleError("read-only kubelet server", error)
    )
    const server = process
      .getBuiltinModule("node:http")
      .createServer({ headersTimeout: HEADERS_TIMEOUT_MS, requestTimeout: REQUEST_TIMEOUT_MS }, (request, response) => {
        handler.handle(request, response).catch((error: unknown) => {
          handleError("read-only kubelet server", error, { path: request.url })
          send(response, 500, "Internal Server Error")
        })
      })
    server.timeout = IDLE_TIMEOUT_MS
    server.maxConnections = MAX_CONNECTIONS
    yield* Effect.acquireRelease(
      Effect.callback<void, ListenFailed>((resume) => {
        server.once("error", (error: NodeJS.ErrnoException) =>
          resume(
            Effect.fail(listenFailed({ code: error.code, message: error.message }, { flagNames: FLAGS, host, port }))
          )
        )
        server.listen(port, host, () => resume(Effect.void))
      }),
      () =>
        Effect.sync(() => {
          server.closeAllConnections()
          server.close()
        })
    )
    server.on("error", (error) => handleError("read-only kubelet server", error))
    const address = server.address()
    return typeof address === "object" && address !== null ? address.port : port
  })
