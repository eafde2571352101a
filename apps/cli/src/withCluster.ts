import { type ClusterShape, fromConnection } from "@rollcall/cluster"
import { layerWallClock } from "@rollcall/time"
import * as Effect from "effect/Effect"
import { clusterConnection } from "./live.ts"

/** Runs an effect with a connection to the cluster of a kubeconfig, and closes the connection afterwards. */
export const withCluster = <A, E>(
  kubeconfig: string,
  userAgent: string,
  context: string,
  read: (cluster: ClusterShape) => Effect.Effect<A, E>
) =>
  clusterConnection(kubeconfig, userAgent, context).pipe(
    Effect.flatMap((connection) => read(fromConnection(connection))),
    Effect.scoped,
    Effect.provide(layerWallClock())
  )
