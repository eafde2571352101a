import { didYouMean, invalid } from "@rollcall/input"
import { withLines } from "@rollcall/input/documents"
import { type NodePods, podsOfDocuments } from "@rollcall/simulator/snapshot"
import * as Effect from "effect/Effect"
import { readInput } from "../../input.ts"
import { readCluster } from "./sources.ts"

/** The source of the pods of a node: either a file or a kubeconfig. */
export interface PodsSource {
  readonly pods: string | undefined
  readonly kubeconfig: string | undefined
  readonly node: string | undefined
}

/** The most node names that a message lists. */
const SHOWN = 5

/** Returns the node of a plan: the wanted one, or the only one of the source. Pods without a node name belong to any node. */
const selectNode = Effect.fnUntraced(function* (names: Iterable<string>, wanted: string | undefined, source: string) {
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
    `a node is required: ${source} has ${nodes.length} nodes, ${nodes.slice(0, SHOWN).join(", ")}${more}`
  )
})

const readPodsOfFile = Effect.fnUntraced(function* (file: string, wanted: string | undefined) {
  const pods = yield* podsOfDocuments(file, yield* readInput(file))
  return yield* Effect.fromResult(pods.of(yield* selectNode(pods.nodes, wanted, file)))
}, withLines)

/** Reads a node and its pods from a cluster; its only requests are two lists. */
const readPodsOfCluster = (kubeconfig: string, wanted: string | undefined) =>
  readCluster(
    kubeconfig,
    Effect.fnUntraced(function* (cluster) {
      const nodes = yield* cluster.list("Node")
      const names = nodes.items.flatMap(({ metadata }) => metadata.name ?? [])
      const node = yield* selectNode(names, wanted, "the cluster")
      const { items } = yield* cluster.list("Pod", { fieldSelector: `spec.nodeName=${node}` })
      const found: NodePods = {
        node,
        object: nodes.items.find(({ metadata }) => metadata.name === node),
        pods: items
      }
      return found
    })
  )

/** Reads the pods of one node, and its Node if the source has it. Undefined: the command line names no source. */
export const readNodePods = Effect.fnUntraced(function* ({ kubeconfig, node, pods }: PodsSource) {
  if (pods !== undefined && kubeconfig !== undefined) {
    return yield* invalid("command line", "--pods", "--pods and --kubeconfig exclude each other: give one of them")
  }
  if (pods !== undefined) return yield* readPodsOfFile(pods, node)
  if (kubeconfig !== undefined) return yield* readPodsOfCluster(kubeconfig, node)
  if (node !== undefined)
    return yield* invalid(
      "command line",
      "--node",
      "--node selects a node of a source: give --pods or --kubeconfig too"
    )
  return undefined
})
