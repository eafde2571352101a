import type { Node, NodeCondition } from "./objects/Node.ts"

/** Returns the first condition of a type. */
export const getNodeCondition = (
  node: Pick<Node, "status">,
  type: NodeCondition["type"]
): NodeCondition | undefined => {
  const conditions = node.status?.conditions
  if (conditions === undefined) return undefined
  for (const condition of conditions) if (condition.type === type) return condition
  return undefined
}

/** Whether the node's Ready condition is True. Unknown, and a missing condition, count as not ready. */
export const isNodeReady = (node: Pick<Node, "status">): boolean => getNodeCondition(node, "Ready")?.status === "True"

/** Replaces the first condition of the same type, or appends the condition. The caller sets its times. */
export const setNodeCondition = (
  conditions: ReadonlyArray<NodeCondition> | undefined,
  condition: NodeCondition
): ReadonlyArray<NodeCondition> => {
  const at = conditions?.findIndex(({ type }) => type === condition.type) ?? -1
  return at < 0 ? [...(conditions ?? []), condition] : (conditions ?? []).with(at, condition)
}
