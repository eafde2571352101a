import { getPodCondition, isPodTerminal, type Pod, parseTime, podDisruptionTarget } from "@rollcall/api"

/** Upstream: stalePodDisruptionTimeout in cmd/kube-controller-manager/app/policy.go. */
const STALE_AFTER_MS = 120_000

/** The kubelet may take any time until the pod is gone. Upstream: PodReasonTerminationByKubelet. */
const byKubelet = "TerminationByKubelet"

/**
 * When a pod that was said to be about to be disrupted, and is not on its way out, is no longer to be taken for one; undefined for
 * others. Upstream: pkg/controller/disruption/disruption.go nonTerminatingPodHasStaleDisruptionCondition.
 */
export const staleAt = (pod: Pod): number | undefined => {
  if (pod.metadata.deletionTimestamp !== undefined) return undefined
  const condition = getPodCondition(pod.status, podDisruptionTarget)
  if (condition?.status !== "True" || condition.reason === byKubelet || isPodTerminal(pod)) return undefined
  return parseTime(condition.lastTransitionTime ?? "") + STALE_AFTER_MS
}
