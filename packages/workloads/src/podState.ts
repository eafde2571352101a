import { getPodCondition, isPodReady, isPodTerminal, type Pod, parseTime } from "@rollcall/api"

/**
 * Whether a pod counts as a replica: neither terminated nor terminating. Upstream: pkg/controller/controller_utils.go
 * IsPodActive.
 */
export const isPodActive = (pod: Pod): boolean => !isPodTerminal(pod) && pod.metadata.deletionTimestamp === undefined

/** Whether a pod has a deletion timestamp, but has not terminated yet. */
export const isPodTerminating = (pod: Pod): boolean =>
  !isPodTerminal(pod) && pod.metadata.deletionTimestamp !== undefined

/**
 * Since when the pod has been ready, in milliseconds since the Unix epoch; NaN if it is not, or the time is unknown.
 */
export const readySince = (pod: Pod): number => {
  const condition = getPodCondition(pod.status, "Ready")
  if (condition?.status !== "True" || condition.lastTransitionTime === undefined) return Number.NaN
  return parseTime(condition.lastTransitionTime)
}

/** Whether a pod has been ready for at least minReadySeconds. Upstream: pkg/api/v1/pod/util.go IsPodAvailable. */
export const isPodAvailable = (pod: Pod, minReadySeconds: number, nowMs: number): boolean =>
  isPodReady(pod) && (minReadySeconds === 0 || readySince(pod) + minReadySeconds * 1000 < nowMs)
