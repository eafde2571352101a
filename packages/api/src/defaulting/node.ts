import type { Node, NodeSpec, NodeStatus } from "../objects/Node.ts"
import { withFields } from "./fill.ts"
import { roundedAmounts } from "./resourceList.ts"

/** Makes podCIDR the first of podCIDRs. If they disagree, podCIDR is kept and the list is dropped. */
const completeSpec = (spec: NodeSpec): NodeSpec => {
  const { podCIDR, podCIDRs } = spec
  if (podCIDR) return podCIDRs?.[0] === podCIDR ? spec : { ...spec, podCIDRs: [podCIDR] }
  const first = podCIDRs?.[0]
  return first === undefined ? spec : { ...spec, podCIDR: first }
}

/** Sets allocatable to capacity if it is absent. */
const completeStatus = (status: NodeStatus): NodeStatus => {
  const capacity = roundedAmounts(status.capacity)
  return withFields(status, { capacity, allocatable: roundedAmounts(status.allocatable) ?? capacity })
}

/** Upstream: pkg/apis/core/v1/{defaults,conversion}.go. */
export const defaultNode = (node: Node): Node =>
  withFields(node, {
    spec: node.spec === undefined ? undefined : completeSpec(node.spec),
    status: node.status === undefined ? undefined : completeStatus(node.status)
  })
