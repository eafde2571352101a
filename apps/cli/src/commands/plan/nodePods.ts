import { didYouMean } from "@rollcall/input"
import { withLineNumbers } from "@rollcall/input/documents"
import { type NodePods, podsOfDocuments } from "@rollcall/simulator/snapshot"
import * as Effect from "effect/Effect"
import { readInput } from "../../input.ts"
import { usageError } from "../../usageError.ts"
import { readCluster } from "./sources.ts"

/** The source of the pods of a node: either a file or a kubeconfig, both of which may have several nodes. */
export interface PodsSource {
  /** The file of --pods; `-` is standard input. */
  readonly pods: string | undefined
  readonly kubeconfig: string | undefined
  /** The name of --node. */
  readonly node: string | undefined
}

/** The most node names that a message lists. */
const MAX_LISTED = 5

/**
 * Returns the name of the node to plan for: the wanted one, or the only one of the source. Returns "" if the source names no node:
 * then its pods are not placed, and the plan takes all of them for one node. `source` is the source's name in messages, and `known` are
 * all nodes that may be wanted: some may have no pods.
 */
const selectNode = Effect.fnUntraced(function* (
  names: ReadonlyArray<string>,
  wanted: string | undefined,
  source: string,
  known: ReadonlyArray<string> = names
) {
  const nodes = names.toSorted()
  if (wanted !== undefined) {
    if (known.includes(wanted)) return wanted
    return yield* usageError(`no node "${wanted}" in ${source}${didYouMean(wanted, known)}`, "--node")
  }
  const [first = ""] = nodes
  if (nodes.length <= 1) return first
  const more = nodes.length > MAX_LISTED ? ` and ${nodes.length - MAX_LISTED} more` : ""
  return yield* usageError(
    `a node is required: ${source} has ${nodes.length} nodes, ${nodes.slice(0, MAX_LISTED).join(", ")}${more}`,
    "--node"
  )
})

const readPodsOfFile = Effect.fnUntraced(function* (file: string, wanted: string | undefined) {
  const pods = yield* podsOfDocuments(file, yield* readInput(file))
  return yield* Effect.fromResult(pods.of(yield* selectNode(pods.nodes, wanted, file, pods.knownNodes)))
}, withLineNumbers)

/** Reads a node and its pods from a cluster with two requests: a list of the nodes and a list of the pods of the one node. */
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

/** Reads the pods of one node, and its Node if the source has it. Returns undefined if the command line names no source. */
export const readNodePods = Effect.fnUntraced(function* ({ kubeconfig, node, pods }: PodsSource) {
  if (pods !== undefined && kubeconfig !== undefined) {
    return yield* usageError("--pods and --kubeconfig exclude each other: give one of them", "--pods")
  }
  if (pods !== undefined) return yield* readPodsOfFile(pods, node)
  if (kubeconfig !== undefined) return yield* readPodsOfCluster(kubeconfig, node)
  if (node !== undefined)
    return yield* usageError("--node selects a node of a source: give --pods or --kubeconfig too", "--node")
  return undefined
})
