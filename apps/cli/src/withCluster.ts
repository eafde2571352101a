import { type ClusterShape, fromConnection } from "@rollcall/cluster"
import { layerWallClock } from "@rollcall/time"
import * as Effect from "effect/Effect"
import { type ConnectionOptions, clusterConnection } from "./live.ts"

/** Connects to the cluster of a kubeconfig, runs `read` with it, and closes the connection afterwards. */
export const withCluster = <A, E>(options: ConnectionOptions, read: (cluster: ClusterShape) => Effect.Effect<A, E>) =>
  clusterConnection(options).pipe(
    Effect.flatMap((connection) => read(fromConnection(connection))),
    Effect.scoped,
    Effect.provide(layerWallClock())
  )
