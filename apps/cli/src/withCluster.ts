import { type ClusterShape, fromConnection } from "@rollcall/cluster"
import { layerWallClock } from "@rollcall/time"
import * as Effect from "effect/Effect"
import { clusterConnection } from "./live.ts"

/** Reads from the cluster that a kubeconfig names; the connection ends with the reading. */
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
