import { fromConnection } from "@rollcall/cluster"
import { layerWallClock } from "@rollcall/time"
import * as Effect from "effect/Effect"
import { clusterConnection } from "../../live.ts"
import { chooseNode } from "./podsOfFile.ts"

/** The pods that a cluster has on a node. Lists nodes and pods, and that is all. */
export const clusterPods = Effect.fnUntraced(
  function* (kubeconfig: string, wanted: string | undefined) {
    const cluster = fromConnection(yield* clusterConnection(kubeconfig, "rollcall-plan/v1"))
    const nodes = yield* cluster.list("Node")
    const node = yield* chooseNode(
      nodes.items.flatMap(({ metadata }) => metadata.name ?? []),
      wanted,
      "the cluster"
    )
    const { items } = yield* cluster.list("Pod", { fieldSelector: `spec.nodeName=${node}` })
    return { node, object: nodes.items.find(({ metadata }) => metadata.name === node), pods: items }
  },
  Effect.scoped,
  Effect.provide(layerWallClock())
)
