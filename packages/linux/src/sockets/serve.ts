import { chmodSync } from "node:fs"
import { createServer, type ServerHttp2Session } from "node:http2"
import { ConnectError, type ConnectRouter, type Interceptor } from "@connectrpc/connect"
import { connectNodeAdapter } from "@connectrpc/connect-node"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"

/** The most bytes of a request; these services have small ones. */
const MAX_REQUEST_BYTES = 64 * 1024

/**
 * What requests are for. Go's clients name the socket, with a percent sign for each slash, which no URL has and the library
 * refuses.
 */
const AUTHORITY = "localhost"

/** A socket cannot be opened. */
export class SocketFailed extends Schema.TaggedError<SocketFailed>()("SocketFailed", { message: Schema.String }) {}

/** Reports what a call throws that is no answer for the client, which gets "internal error" only. */
const reporting =
  (report: (error: unknown) => void): Interceptor =>
  (next) =>
  (request) =>
    next(request).catch((error) => {
      if (!(error instanceof ConnectError)) report(error)
      throw error
    })

const listen = (path: string, routes: (router: ConnectRouter) => void, context: Context.Context<never>) =>
  Effect.callback<{ readonly close: () => void }, SocketFailed>((resume) => {
    const report = (error: unknown) =>
      Effect.runForkWith(context)(Effect.logError("A call failed").pipe(Effect.annotateLogs({ error, path })))
    const interceptors = [reporting(report)]
    const handle = connectNodeAdapter({ routes, interceptors, readMaxBytes: MAX_REQUEST_BYTES })
    const server = createServer((request, response) => {
      request.headers[":authority"] = AUTHORITY
      handle(request, response)
    })
    const sessions = new Set<ServerHttp2Session>()
    server.on("session", (session) => {
      sessions.add(session)
      session.once("close", () => sessions.delete(session))
      // A peer that goes away ends its own session only.
      session.on("error", () => undefined)
    })
    const refuse = ({ message }: Error) => resume(Effect.fail(new SocketFailed({ message: `${path}: ${message}` })))
    server.once("error", refuse)
    server.listen(path, () => {
      server.off("error", refuse)
      // As when no file can be opened for another connection.
      server.on("error", report)
      chmodSync(path, 0o700)
      const close = () => {
        server.close()
        for (const session of sessions) session.destroy()
      }
      resume(Effect.succeed({ close }))
    })
  })

/** Serves gRPC on a unix socket while the scope is open; its end also ends the connections. */
export const serve = (
  path: string,
  routes: (router: ConnectRouter) => void
): Effect.Effect<void, SocketFailed, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.flatMap(Effect.context<never>(), (context) => listen(path, routes, context)),
    ({ close }) => Effect.sync(close)
  ).pipe(Effect.asVoid)
