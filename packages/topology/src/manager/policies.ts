import { type HintLists, type TopologyHint, zeroHint } from "../hints.ts"
import { maskCount, type NumaMask } from "../masks.ts"
import { type Fitter, narrowest } from "./closest.ts"
import { flattenHints, mergeLists } from "./mergeHints.ts"

export const topologyPolicyNames = ["none", "best-effort", "restricted", "single-numa-node"] as const
export type TopologyPolicyName = (typeof topologyPolicyNames)[number]

/** Whether a kubelet has a topology manager policy of this name. */
export const isTopologyPolicyName = (name: string): name is TopologyPolicyName =>
  topologyPolicyNames.some((known) => known === name)

/** The merged hint, and whether the policy admits a pod with it. */
export interface MergeResult {
  readonly hint: TopologyHint
  readonly admit: boolean
}

/** Merges the providers' hints, in their order, for a machine with these nodes. */
export type Merge = (answers: ReadonlyArray<HintLists | null>) => MergeResult

const isOnOneNode = ({ mask, preferred }: TopologyHint): boolean =>
  preferred && (mask === undefined || maskCount(mask) === 1)

const mergeOnOneNode =
  (machine: NumaMask): Merge =>
  (answers) => {
    const lists = flattenHints(answers).map((list) => list.filter(isOnOneNode))
    const { mask, preferred } = mergeLists(lists, machine, narrowest)
    return { hint: { mask: mask === machine ? undefined : mask, preferred }, admit: preferred }
  }

/**
 * Returns the merge of a policy. `none` ignores hints and admits all pods. `best-effort` admits with any result,
 * `restricted` only with a preferred one, `single-numa-node` only with a preferred one on one node, after removing all
 * other hints. Upstream: topologymanager/policy_*.go.
 */
export const mergeOf = (policy: TopologyPolicyName, machine: NumaMask, fitter: Fitter): Merge => {
  if (policy === "none") return () => ({ hint: zeroHint, admit: true })
  if (policy === "single-numa-node") return mergeOnOneNode(machine)
  return (answers) => {
    const hint = mergeLists(flattenHints(answers), machine, fitter)
    return { hint, admit: policy === "best-effort" || hint.preferred }
  }
}
