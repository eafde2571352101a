import { Cluster, type Connection, fromConnection, rateLimited } from "@rollcall/cluster"
import type { ClientMaker } from "@rollcall/control-plane"
import type { TimersShape } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** Clients over connections of their own, each with its own limit (qps 0: none). What waits in one dies with its scope. */
export const limitedClients = (timers: TimersShape, connect: (name: string) => Connection): ClientMaker => ({
  layer: (name, { burst, qps }) =>
    qps <= 0
      ? Layer.sync(Cluster, () => fromConnection(connect(name)))
      : Layer.effect(
          Cluster,
          Effect.acquireRelease(
            Effect.sync(() => rateLimited(connect(name), { qps, burst, timers })),
            (connection) => Effect.sync(connection.close)
          ).pipe(Effect.map(fromConnection))
        )
})
