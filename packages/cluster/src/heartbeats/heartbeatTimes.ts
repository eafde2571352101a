import type { Node, NodeCondition } from "@rollcall/api"

/** Returns a Node with another lastHeartbeatTime of some of its conditions. */
export const withHeartbeatTimes = (node: Node, indexes: ReadonlyArray<number>, time: string): Node => {
  const conditions = [...(node.status?.conditions ?? [])]
  for (const index of indexes) conditions[index] = { ...(conditions[index] as NodeCondition), lastHeartbeatTime: time }
  return { ...node, status: { ...node.status, conditions } }
}
