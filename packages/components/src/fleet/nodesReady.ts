import type { Node } from "@rollcall/api"
import { Cluster, type ClusterShape, Informer } from "@rollcall/cluster"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"

const isNodeReady = (node: Node): boolean =>
  node.status?.conditions?.some(({ status, type }) => type === "Ready" && status === "True") === true

/** Waits until so many nodes are Ready. */
export const nodesReady = Effect.fnUntraced(function* (cluster: ClusterShape, wanted: () => number) {
  const done = yield* Deferred.make<void>()
  const ready = new Set<string>()
  const look = (node: Node) => {
    const { name = "" } = node.metadata
    if (isNodeReady(node)) ready.add(name)
    else ready.delete(name)
    if (ready.size >= wanted()) Deferred.doneUnsafe(done, Effect.void)
  }
  yield* Informer.make("Node", {
    handlers: [
      { onAdd: look, onUpdate: (_, node) => look(node), onDelete: ({ metadata }) => ready.delete(metadata.name ?? "") }
    ]
  }).pipe(Effect.provideService(Cluster, cluster))
  yield* Deferred.await(done)
}, Effect.scoped)
