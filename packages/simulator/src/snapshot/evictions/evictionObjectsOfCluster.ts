import { nodeLeaseNamespace } from "@rollcall/api"
import { type ClusterError, type ClusterShape, isForbidden, isNotFound } from "@rollcall/cluster"
import type { KnowledgeGap } from "@rollcall/text"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { ListedObject } from "../cluster/ClusterObjects.ts"
import { type EvictionInput, evictionObjects } from "./evictionObjects.ts"

const listObjects = (cluster: ClusterShape, kind: "Node" | "Pod") =>
  Effect.map(cluster.list(kind), ({ items }): ReadonlyArray<ListedObject> => items.map((object) => ({ kind, object })))

/** Lists the node Leases. Returns an empty list if they are not readable: then no silent node is detected. */
const listLeases = (cluster: ClusterShape) =>
  cluster.list("Lease", { namespace: nodeLeaseNamespace }).pipe(
    Effect.map(({ items }): ReadonlyArray<ListedObject> => items.map((object) => ({ kind: "Lease", object }))),
    Effect.catchIf(
      (error: ClusterError) => isForbidden(error) || isNotFound(error),
      () => Effect.succeed([])
    )
  )

const leaseGap: KnowledgeGap = {
  kind: "Lease",
  message: "no Lease of kube-node-lease can be read: which nodes have stopped their heartbeats is not known"
}

/**
 * Lists the objects of an eviction forecast from a live cluster. Leases come last, because heartbeats age quickly. Fails if Nodes or Pods
 * are not readable.
 */
export const evictionObjectsOfCluster = Effect.fnUntraced(function* (
  cluster: ClusterShape
): Effect.fn.Return<EvictionInput, ClusterError> {
  const pods = yield* listObjects(cluster, "Pod")
  const nodes = yield* listObjects(cluster, "Node")
  const leases = yield* listLeases(cluster)
  return {
    ...evictionObjects([...nodes, ...leases, ...pods], yield* Clock.currentTimeMillis),
    gaps: leases.length === 0 && nodes.length > 0 ? [leaseGap] : []
  }
})
