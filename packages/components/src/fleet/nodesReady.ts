import { type Node, taintNotReady } from "@rollcall/api"
import { Cluster, type ClusterShape, Informer } from "@rollcall/cluster"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"

const isNodeReady = (node: Node): boolean =>
  node.status?.conditions?.some(({ status, type }) => type === "Ready" && status === "True") === true

/** The node controller removes the not-ready taint a moment after the node is Ready; until then no pod is scheduled there. */
const isPlaceable = (node: Node): boolean =>
  isNodeReady(node) && !(node.spec?.taints ?? []).some(({ key }) => key === taintNotReady)

/** Waits until the wanted number of nodes pass a test. */
const nodesAre = Effect.fnUntraced(function* (
  cluster: ClusterShape,
  wanted: () => number,
  isAsAsked: (node: Node) => boolean
) {
  if (wanted() === 0) return
  const done = yield* Deferred.make<void>()
  const asAsked = new Set<string>()
  const look = (node: Node) => {
    const { name = "" } = node.metadata
    if (isAsAsked(node)) asAsked.add(name)
    else asAsked.delete(name)
    if (asAsked.size >= wanted()) Deferred.doneUnsafe(done, Effect.void)
  }
  yield* Informer.make("Node", {
    handlers: [
      {
        onAdd: look,
        onUpdate: (_, node) => look(node),
        onDelete: ({ metadata }) => asAsked.delete(metadata.name ?? "")
      }
    ]
  }).pipe(Effect.provideService(Cluster, cluster))
  yield* Deferred.await(done)
}, Effect.scoped)

/** Waits until the wanted number of nodes are Ready. */
export const nodesReady = (cluster: ClusterShape, wanted: () => number) => nodesAre(cluster, wanted, isNodeReady)

/**
 * Waits until the wanted number of nodes accept pods, for at most five seconds, because a fault may stop the node controller. Pods
 * that are created earlier spread over the few nodes without the taint.
 */
export const nodesPlaceable = (cluster: ClusterShape, wanted: () => number) =>
  Effect.asVoid(Effect.timeoutOption(nodesAre(cluster, wanted, isPlaceable), "5 seconds"))
