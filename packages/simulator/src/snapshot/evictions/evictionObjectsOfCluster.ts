import { nodeLeaseNamespace } from "@rollcall/api"
import { type ClusterError, type ClusterShape, isForbidden, isNotFound } from "@rollcall/cluster"
import type { KnowledgeGap } from "@rollcall/text"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Found } from "../cluster/ClusterObjects.ts"
import { evictionObjects, type SeenObjects } from "./evictionObjects.ts"

const listed = (cluster: ClusterShape, kind: "Node" | "Pod") =>
  Effect.map(cluster.list(kind), ({ items }): ReadonlyArray<Found> => items.map((object) => ({ kind, object })))

/** Lists the node Leases; empty if they are not readable: then no silent node is detected. */
const leasesOf = (cluster: ClusterShape) =>
  cluster.list("Lease", { namespace: nodeLeaseNamespace }).pipe(
    Effect.map(({ items }): ReadonlyArray<Found> => items.map((object) => ({ kind: "Lease", object }))),
    Effect.catchIf(
      (error: ClusterError) => isForbidden(error) || isNotFound(error),
      () => Effect.succeed([])
    )
  )

const unseenLeases: KnowledgeGap = {
  kind: "Lease",
  message: "no Lease of kube-node-lease can be read: which nodes have stopped their heartbeats is not known"
}

/** Lists the objects of an eviction forecast from a live cluster, heartbeats last. Fails if Nodes or Pods are not readable. */
export const evictionObjectsOfCluster = Effect.fnUntraced(function* (
  cluster: ClusterShape
): Effect.fn.Return<SeenObjects, ClusterError> {
  const pods = yield* listed(cluster, "Pod")
  const nodes = yield* listed(cluster, "Node")
  const leases = yield* leasesOf(cluster)
  return {
    ...evictionObjects([...nodes, ...leases, ...pods], yield* Clock.currentTimeMillis),
    gaps: leases.length === 0 && nodes.length > 0 ? [unseenLeases] : []
  }
})
