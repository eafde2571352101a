import { Cluster, type ClusterError, type ConnectionError, fromConnection } from "@rollcall/cluster"
import { Timers } from "@rollcall/time"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type { RawAnswer, RawRequest } from "./http/RawRequest.ts"
import { type ConnectionOptions, type KubeConnection, makeConnection } from "./makeConnection.ts"

export interface KubeClientShape {
  readonly connection: KubeConnection
  /** Sends any HTTP request; succeeds whatever the response's status code. */
  readonly raw: (request: RawRequest) => Effect.Effect<RawAnswer, ConnectionError>
  /** The lines of a response as they arrive: a watch of Tables, a log. Completes when the server ends the response. */
  readonly lines: (request: RawRequest) => Stream.Stream<string, ClusterError>
}

/** Returns the Effect form of a connection's raw requests; interrupting one aborts the request. */
export const rawOf =
  (connection: KubeConnection): KubeClientShape["raw"] =>
  (request) =>
    Effect.callback((resume) => {
      const cancel = connection.raw(request, (result) =>
        resume(Result.isSuccess(result) ? Effect.succeed(result.success) : Effect.fail(result.failure))
      )
      return Effect.sync(cancel)
    })

/** Returns the Effect form of a connection's line streams. */
export const linesOf =
  (connection: KubeConnection): KubeClientShape["lines"] =>
  (request) =>
    Stream.callback((queue) =>
      Effect.acquireRelease(
        Effect.sync(() =>
          connection.lines(request, {
            lines: (batch) => {
              Queue.offerAllUnsafe(queue, batch)
            },
            end: (error) => {
              if (error === undefined) Queue.endUnsafe(queue)
              else Queue.failCauseUnsafe(queue, Cause.fail(error))
            }
          })
        ),
        (cancel) => Effect.sync(cancel)
      )
    )

/** A client of one API server: the Cluster port, and raw HTTP requests. */
export class KubeClient extends Context.Service<KubeClient, KubeClientShape>()("@rollcall/kube-client/KubeClient") {
  /** Makes the client of a configuration, and the Cluster service over it. Its connections close with the layer. */
  static readonly layer = (
    options: Omit<ConnectionOptions, "timers">
  ): Layer.Layer<KubeClient | Cluster, never, Timers> =>
    Layer.effectContext(
      Effect.gen(function* () {
        const timers = yield* Timers
        const connection = yield* Effect.acquireRelease(
          Effect.sync(() => makeConnection({ ...options, timers })),
          (made) => Effect.sync(made.close)
        )
        return Context.make(
          KubeClient,
          KubeClient.of({ connection, raw: rawOf(connection), lines: linesOf(connection) })
        ).pipe(Context.add(Cluster, fromConnection(connection)))
      })
    )
}
