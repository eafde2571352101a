import type { ConditionStatus, Node, Taint } from "@rollcall/api"
import { carriesTaint, notReadyNoExecute, unreachableNoExecute } from "../Taints.ts"

/** The NoExecute taint for a Ready status, and the other taint of the pair; undefined for a ready node. */
export const taintsFor = (
  ready: ConditionStatus
): { readonly matching: Taint; readonly opposite: Taint } | undefined => {
  if (ready === "False") return { matching: notReadyNoExecute, opposite: unreachableNoExecute }
  if (ready === "Unknown") return { matching: unreachableNoExecute, opposite: notReadyNoExecute }
  return undefined
}

export type NoExecuteDecision =
  /** Exchange one taint of the pair for the other, at once. */
  | { readonly kind: "swap"; readonly add: Taint; readonly remove: Taint }
  /** Queue the node for a taint, at the zone's rate; `afresh` moves it to the end, because it has no taint yet. */
  | { readonly kind: "queue"; readonly afresh: boolean }
  /** Remove both taints and leave the queue. */
  | { readonly kind: "reachable" }
  /** Change nothing: the status is none of True, False and Unknown. */
  | { readonly kind: "none" }

const reachable: NoExecuteDecision = { kind: "reachable" }
const none: NoExecuteDecision = { kind: "none" }
const queueAfresh: NoExecuteDecision = { kind: "queue", afresh: true }
const queueAgain: NoExecuteDecision = { kind: "queue", afresh: false }

/**
 * What the monitor pass does about the NoExecute pair, by the node's current Ready status and the taints it had at the
 * start. Upstream: pkg/controller/nodelifecycle/node_lifecycle_controller.go processTaintBaseEviction,
 * markNodeForTainting.
 */
export const decideNoExecute = (node: Node, ready: ConditionStatus): NoExecuteDecision => {
  if (ready === "True") return reachable
  const pair = taintsFor(ready)
  if (pair === undefined) return none
  if (carriesTaint(node, pair.opposite)) return { kind: "swap", add: pair.matching, remove: pair.opposite }
  return carriesTaint(node, pair.matching) ? queueAgain : queueAfresh
}
