import { type InvalidInput, invalid, missing, unknownName } from "@rollcall/input"
import { type NodePods, type PodsByNode, podsOfDocuments } from "@rollcall/simulator/snapshot"
import * as Effect from "effect/Effect"
import { fileOf, type GivenObjects, objectDocuments } from "./documents.ts"

/** The pods of one node. */
export interface NodeOptions {
  /** The pods of the node, and its Node and their PriorityClasses if it has any: `kubectl get pods -A -o yaml`. */
  readonly pods?: GivenObjects
  /** The name of the node, if the pods are on several. */
  readonly node?: string
}

const selectNode = (
  { knownNodes, nodes }: PodsByNode,
  wanted: string | undefined
): Effect.Effect<string, InvalidInput> => {
  const [only = ""] = nodes
  if (wanted === undefined)
    return nodes.length < 2
      ? Effect.succeed(only)
      : Effect.fail(invalid("options", "node", missing(`: the pods are on ${nodes.length} nodes`)))
  return knownNodes.includes(wanted)
    ? Effect.succeed(wanted)
    : Effect.fail(invalid("options", "node", unknownName(`no pod is on node "${wanted}"`, wanted, knownNodes)))
}

/** Reads the pods of one node; undefined if none were given. */
export const readNodePods = Effect.fnUntraced(function* ({ node, pods }: NodeOptions) {
  if (pods === undefined) return undefined
  const found = yield* podsOfDocuments(fileOf(pods, "pods"), yield* objectDocuments(pods, "pods"))
  const ofNode: NodePods = yield* Effect.fromResult(found.of(yield* selectNode(found, node)))
  return ofNode
})
