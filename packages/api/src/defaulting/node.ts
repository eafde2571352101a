import type { Node, NodeSpec, NodeStatus } from "../objects/Node.ts"
import { withFields } from "./fill.ts"

/** Dynamic kubelet configuration is gone since 1.26: its fields still parse and are never stored. */
const withoutConfigSource = (given: NodeSpec): NodeSpec => {
  if (given.configSource === undefined) return given
  const { configSource: _, ...spec } = given
  return spec
}

const withoutConfig = (given: NodeStatus): NodeStatus => {
  if (given.config === undefined) return given
  const { config: _, ...status } = given
  return status
}

/** podCIDR is the first of podCIDRs. Where the two disagree the older field wins, and the list is dropped. */
const completeSpec = (given: NodeSpec): NodeSpec => {
  const spec = withoutConfigSource(given)
  const { podCIDR, podCIDRs } = spec
  if (podCIDR) return podCIDRs?.[0] === podCIDR ? spec : { ...spec, podCIDRs: [podCIDR] }
  const first = podCIDRs?.[0]
  return first === undefined ? spec : { ...spec, podCIDR: first }
}

/** What is not said to be allocatable is what there is. */
const completeStatus = (given: NodeStatus): NodeStatus => {
  const status = withoutConfig(given)
  return status.allocatable === undefined && status.capacity !== undefined
    ? { ...status, allocatable: status.capacity }
    : status
}

/** Upstream: pkg/apis/core/v1/{defaults,conversion}.go, and what pkg/registry/core/node/strategy.go drops. */
export const defaultNode = (node: Node): Node =>
  withFields(node, {
    spec: node.spec === undefined ? undefined : completeSpec(node.spec),
    status: node.status === undefined ? undefined : completeStatus(node.status)
  })
