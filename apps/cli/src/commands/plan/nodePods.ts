import { didYouMean, invalid } from "@rollcall/input"
import { withLines } from "@rollcall/input/documents"
import { type NodePods, podsOfDocuments } from "@rollcall/simulator/snapshot"
import * as Effect from "effect/Effect"
import { readInput } from "../../input.ts"
import { readingCluster } from "./sources.ts"

/** Where the pods of a node are read from. */
export interface PodsSource {
  readonly pods: string | undefined
  readonly kubeconfig: string | undefined
  readonly node: string | undefined
}

const SHOWN = 5

/** The one node that pods are of, if it is one. Pods that name none are of any. */
const chooseNode = Effect.fnUntraced(function* (names: Iterable<string>, wanted: string | undefined, source: string) {
  const nodes = [...new Set(names)].toSorted()
  if (wanted !== undefined) {
    if (nodes.includes(wanted)) return wanted
    return yield* invalid("command line", "--node", `no node "${wanted}" in ${source}${didYouMean(wanted, nodes)}`)
  }
  const [first = ""] = nodes
  if (nodes.length <= 1) return first
  const more = nodes.length > SHOWN ? ` and ${nodes.length - SHOWN} more` : ""
  return yield* invalid(
    "command line",
    "--node",
    `is required: ${source} has ${nodes.length} nodes, ${nodes.slice(0, SHOWN).join(", ")}${more}`
  )
})

const podsOfFile = Effect.fnUntraced(function* (file: string, wanted: string | undefined) {
  const pods = yield* podsOfDocuments(file, yield* readInput(file))
  return yield* Effect.fromResult(pods.of(yield* chooseNode(pods.nodes, wanted, file)))
}, withLines)

/** Lists nodes and pods, and that is all. */
const podsOfCluster = (kubeconfig: string, wanted: string | undefined) =>
  readingCluster(
    kubeconfig,
    Effect.fnUntraced(function* (cluster) {
      const nodes = yield* cluster.list("Node")
      const names = nodes.items.flatMap(({ metadata }) => metadata.name ?? [])
      const node = yield* chooseNode(names, wanted, "the cluster")
      const { items } = yield* cluster.list("Pod", { fieldSelector: `spec.nodeName=${node}` })
      const found: NodePods = {
        node,
        object: nodes.items.find(({ metadata }) => metadata.name === node),
        pods: items
      }
      return found
    })
  )

/** The pods of one node, from a file or from a cluster, and its Node where that is known; undefined: neither was named. */
export const nodePods = Effect.fnUntraced(function* ({ kubeconfig, node, pods }: PodsSource) {
  if (pods !== undefined && kubeconfig !== undefined) {
    return yield* invalid("command line", "--pods", "pods are taken from a file or from a cluster, not from both")
  }
  if (pods !== undefined) return yield* podsOfFile(pods, node)
  if (kubeconfig !== undefined) return yield* podsOfCluster(kubeconfig, node)
  if (node !== undefined) return yield* invalid("command line", "--node", "needs --pods or --kubeconfig: whose pods?")
  return undefined
})
