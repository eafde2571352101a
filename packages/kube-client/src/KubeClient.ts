import { Cluster, type ConnectionError, fromConnection } from "@rollcall/cluster"
import { Timers } from "@rollcall/time"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type { RawAnswer, RawRequest } from "./http/RawRequest.ts"
import { type ConnectionOptions, type KubeConnection, makeConnection } from "./makeConnection.ts"

export interface KubeClientShape {
  readonly connection: KubeConnection
  /** Any request, answered whatever its code. */
  readonly raw: (request: RawRequest) => Effect.Effect<RawAnswer, ConnectionError>
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
        return Context.make(KubeClient, KubeClient.of({ connection, raw: rawOf(connection) })).pipe(
          Context.add(Cluster, fromConnection(connection))
        )
      })
    )
}
