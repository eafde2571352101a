import { type Node, taintNotReady } from "@rollcall/api"
import { Cluster, type ClusterShape, Informer } from "@rollcall/cluster"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"

const isNodeReady = (node: Node): boolean =>
  node.status?.conditions?.some(({ status, type }) => type === "Ready" && status === "True") === true

/**
 * The node controller removes the not-ready taint a moment after the node is Ready; until then no pod is scheduled
 * there.
 */
const isSchedulable = (node: Node): boolean =>
  isNodeReady(node) && !(node.spec?.taints ?? []).some(({ key }) => key === taintNotReady)

/** Waits until the wanted number of nodes pass a test; the number may change meanwhile. */
const waitForNodes = Effect.fnUntraced(function* (
  cluster: ClusterShape,
  wanted: () => number,
  passes: (node: Node) => boolean
) {
  if (wanted() === 0) return
  const enough = yield* Deferred.make<void>()
  const passing = new Set<string>()
  const check = (node: Node) => {
    const { name = "" } = node.metadata
    if (passes(node)) passing.add(name)
    else passing.delete(name)
    if (passing.size >= wanted()) Deferred.doneUnsafe(enough, Effect.void)
  }
  yield* Informer.make("Node", {
    handlers: [
      {
        onAdd: check,
        onUpdate: (_, node) => check(node),
        onDelete: ({ metadata }) => passing.delete(metadata.name ?? "")
      }
    ]
  }).pipe(Effect.provideService(Cluster, cluster))
  yield* Deferred.await(enough)
}, Effect.scoped)

/** Waits until the wanted number of nodes are Ready. */
export const waitForReadyNodes = (cluster: ClusterShape, wanted: () => number) =>
  waitForNodes(cluster, wanted, isNodeReady)

/**
 * Waits until the wanted number of nodes accept pods, for at most five seconds, because a fault may stop the node
 * controller. Pods that are created earlier spread over the few nodes without the taint.
 */
export const waitForSchedulableNodes = (cluster: ClusterShape, wanted: () => number) =>
  Effect.asVoid(Effect.timeoutOption(waitForNodes(cluster, wanted, isSchedulable), "5 seconds"))
