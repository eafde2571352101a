import { Cluster, type Connection, fromConnection, observedByShared } from "@rollcall/cluster"
import type { ClientMaker } from "@rollcall/control-plane"
import { Timers, type TimersShape } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/**
 * Makes clients over separate connections, each with its own rate limit; qps 0 means no limit. Closing a client's scope
 * drops its waiting requests.
 */
export const limitedClients = (timers: TimersShape, connect: (name: string) => Connection): ClientMaker => ({
  layer: (name, limit) => {
    const unlimited = Layer.effect(
      Cluster,
      Effect.map(observedByShared, (observed) => fromConnection(observed(connect(name))))
    )
    return limit.qps <= 0
      ? unlimited
      : Cluster.layerRateLimited(limit).pipe(Layer.provide([unlimited, Layer.succeed(Timers, timers)]))
  }
})
