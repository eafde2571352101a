import type { Node, NodeCondition } from "./objects/Node.ts"

/** The first condition of a type. */
export const getNodeCondition = (
  node: Pick<Node, "status">,
  type: NodeCondition["type"]
): NodeCondition | undefined => {
  const conditions = node.status?.conditions
  if (conditions === undefined) return undefined
  for (const condition of conditions) if (condition.type === type) return condition
  return undefined
}

/** Ready, and nothing else, makes a node ready: Unknown and a missing condition do not. */
export const isNodeReady = (node: Pick<Node, "status">): boolean => getNodeCondition(node, "Ready")?.status === "True"

/** Puts a condition in the place of the first of its type, or at the end. Times are the caller's business. */
export const setNodeCondition = (
  conditions: ReadonlyArray<NodeCondition> | undefined,
  condition: NodeCondition
): ReadonlyArray<NodeCondition> => {
  const at = conditions?.findIndex(({ type }) => type === condition.type) ?? -1
  return at < 0 ? [...(conditions ?? []), condition] : (conditions ?? []).with(at, condition)
}

/** A node that shares all but its status. */
export const withNodeStatus = (node: Node, status: Partial<NonNullable<Node["status"]>>): Node => ({
  ...node,
  status: { ...node.status, ...status }
})
