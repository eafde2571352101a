import { getPodCondition, isPodTerminal, type Pod, parseTime, podDisruptionTarget } from "@rollcall/api"

/**
 * The time after which a condition is stale. Upstream: stalePodDisruptionTimeout in
 * cmd/kube-controller-manager/app/policy.go.
 */
const STALE_AFTER_MS = 120_000

/**
 * The reason of a condition that never becomes stale: the kubelet may take arbitrarily long to terminate the pod.
 * Upstream: PodReasonTerminationByKubelet.
 */
const byKubelet = "TerminationByKubelet"

/**
 * When the DisruptionTarget condition of a pod that is not terminating becomes stale, in milliseconds since the Unix
 * epoch; undefined if the pod has none.
 * Upstream: pkg/controller/disruption/disruption.go nonTerminatingPodHasStaleDisruptionCondition.
 */
export const staleAt = (pod: Pod): number | undefined => {
  if (pod.metadata.deletionTimestamp !== undefined) return undefined
  const condition = getPodCondition(pod.status, podDisruptionTarget)
  if (condition?.status !== "True" || condition.reason === byKubelet || isPodTerminal(pod)) return undefined
  return parseTime(condition.lastTransitionTime ?? "") + STALE_AFTER_MS
}
