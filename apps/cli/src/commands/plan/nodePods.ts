import { invalid } from "@rollcall/input"
import * as Effect from "effect/Effect"
import { readPods } from "./podsOfFile.ts"

/** Where the pods of a node are read from. */
export interface PodsSource {
  readonly pods: string | undefined
  readonly kubeconfig: string | undefined
  readonly node: string | undefined
}

/** The pods of one node, from a file or from a cluster, and its Node where that is known; undefined: neither was named. */
export const nodePods = Effect.fnUntraced(function* ({ kubeconfig, node, pods }: PodsSource) {
  if (pods !== undefined && kubeconfig !== undefined) {
    return yield* invalid("command line", "--pods", "pods are taken from a file or from a cluster, not from both")
  }
  if (pods !== undefined) return yield* readPods(pods, node)
  if (kubeconfig !== undefined) {
    const { clusterPods } = yield* Effect.promise(() => import("./podsOfCluster.ts"))
    return yield* clusterPods(kubeconfig, node)
  }
  if (node !== undefined) return yield* invalid("command line", "--node", "needs --pods or --kubeconfig: whose pods?")
  return undefined
})
