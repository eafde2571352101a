import type { ConditionStatus, Pod } from "@rollcall/api"
import type { NodeHealth } from "./NodeHealth.ts"

/** What becomes of the pods of a node where the controller deletes them itself. */
export type DeletionDecision = "delete" | "keep" | "wait"

/**
 * Asks for a node's pods to be deleted once it has been not ready for longer than `--pod-eviction-timeout`: counted from when
 * Ready became False, or from the last sign of life where it is Unknown. Goes by the Ready status that the pass began with.
 * Upstream until 1.12: pkg/controller/node/nodecontroller.go monitorNodeStatus.
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

/** Pods that a lost node loses: not those that are going already, nor those of DaemonSets, which would only come back to it. */
export const isDeletedWithNode = (pod: Pod): boolean =>
  !isTerminating(pod) && pod.metadata.ownerReferences?.some(({ kind }) => kind === "DaemonSet") !== true

/** No pod gets longer than this once its node is lost. */
const MOST_GRACE_MS = 300_000

/** How long a pod may still take to end, after its node's pods were deleted at `sinceMs`; undefined: it is not ending. */
export const remainingGraceMs = (pod: Pod, sinceMs: number, now: number): number | undefined => {
  const { deletionGracePeriodSeconds } = pod.metadata
  if (deletionGracePeriodSeconds === undefined) return undefined
  return Math.min(deletionGracePeriodSeconds * 1000, MOST_GRACE_MS) - (now - sinceMs)
}
