import { nodeLeaseNamespace } from "@rollcall/api"
import { type ClusterError, type ClusterShape, fromConnection, isForbidden, isNotFound } from "@rollcall/cluster"
import { layerWallClock } from "@rollcall/time"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { clusterConnection } from "../../live.ts"
import { evictionObjects, type FoundObject } from "./evictionsObjects.ts"

const listed = (cluster: ClusterShape, kind: "Node" | "Pod") =>
  Effect.map(cluster.list(kind), ({ items }): ReadonlyArray<FoundObject> => items.map((object) => ({ kind, object })))

/** Leases may be out of reach: then nobody is known to be silent. */
const leasesOf = (cluster: ClusterShape) =>
  cluster.list("Lease", { namespace: nodeLeaseNamespace }).pipe(
    Effect.map(({ items }): ReadonlyArray<FoundObject> => items.map((object) => ({ kind: "Lease", object }))),
    Effect.catchIf(
      (error: ClusterError) => isForbidden(error) || isNotFound(error),
      () => Effect.succeed([])
    )
  )

/** All that is looked at, from a live cluster, signs of life last. Lists, and that is all; nodes and pods have to be readable. */
export const evictionObjectsOfCluster = Effect.fnUntraced(
  function* (kubeconfig: string) {
    const cluster = fromConnection(yield* clusterConnection(kubeconfig, "rollcall-plan/v1"))
    const pods = yield* listed(cluster, "Pod")
    const nodes = yield* listed(cluster, "Node")
    const leases = yield* leasesOf(cluster)
    return evictionObjects([...nodes, ...leases, ...pods], yield* Clock.currentTimeMillis)
  },
  Effect.scoped,
  Effect.provide(layerWallClock())
)
