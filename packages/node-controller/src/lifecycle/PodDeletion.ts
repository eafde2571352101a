import type { ConditionStatus, Pod } from "@rollcall/api"
import type { NodeHealth } from "./NodeHealth.ts"

/**
 * What this controller does with the pods of a node, in releases where it deletes them itself: `delete` queues the
 * node for their deletion, `keep` removes it from the queue, `wait` changes nothing.
 */
export type DeletionDecision = "delete" | "keep" | "wait"

/**
 * Decides to delete a node's pods once it has been not ready for longer than `--pod-eviction-timeout`: counted from
 * the transition of Ready to False, or from the last sign of life where Ready is Unknown. Uses the Ready status at the
 * start of the pass. Upstream until 1.12: pkg/controller/node/nodecontroller.go monitorNodeStatus.
 */
export const decideDeletion = (
  observed: ConditionStatus,
  { probeMs, readyTransitionMs }: Pick<NodeHealth, "probeMs" | "readyTransitionMs">,
  now: number,
  podEvictionTimeoutMs: number
): DeletionDecision => {
  if (observed === "True") return "keep"
  const since = observed === "False" ? readyTransitionMs : observed === "Unknown" ? probeMs : Infinity
  return now > since + podEvictionTimeoutMs ? "delete" : "wait"
}

const isTerminating = ({ metadata }: Pod): boolean => metadata.deletionTimestamp !== undefined

/**
 * Whether a lost node's pod is deleted: not if it is terminating already, nor a DaemonSet's, which would only be
 * recreated there.
 */
export const isDeletedWithNode = (pod: Pod): boolean =>
  !isTerminating(pod) && pod.metadata.ownerReferences?.some(({ kind }) => kind === "DaemonSet") !== true

/** The longest grace period of a pod once its node is lost; a longer one is cut. */
const MOST_GRACE_MS = 300_000

/**
 * The rest of a pod's grace period, after its node's pods were deleted at `sinceMs`; undefined: it is not terminating.
 */
export const remainingGraceMs = (pod: Pod, sinceMs: number, now: number): number | undefined => {
  const { deletionGracePeriodSeconds } = pod.metadata
  if (deletionGracePeriodSeconds === undefined) return undefined
  return Math.min(Number(deletionGracePeriodSeconds) * 1000, MOST_GRACE_MS) - (now - sinceMs)
}
