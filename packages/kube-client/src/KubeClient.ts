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
  /** Any request, answered whatever its code. */
  readonly raw: (request: RawRequest) => Effect.Effect<RawAnswer, ConnectionError>
  /** The lines of an answer as they come: a watch of Tables, a log. Ends when the server ends it. */
  readonly lines: (request: RawRequest) => Stream.Stream<string, ClusterError>
}

/** The Effect form of a connection's raw requests; an interrupted one is ended. */
export const rawOf =
  (connection: KubeConnection): KubeClientShape["raw"] =>
  (request) =>
    Effect.callback((resume) => {
      const cancel = connection.raw(request, (result) =>
        resume(Result.isSuccess(result) ? Effect.succeed(result.success) : Effect.fail(result.failure))
      )
      return Effect.sync(cancel)
    })

/** The Effect form of a connection's streams of lines. */
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

/** A client of one API server: the cluster port, and below it HTTP as it is. */
export class KubeClient extends Context.Service<KubeClient, KubeClientShape>()("@rollcall/kube-client/KubeClient") {
  /** A client for a configuration, with the Cluster over it. Its connections end with the layer. */
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
