import { getPodCondition, isPodReady, isPodTerminal, type Pod, parseTime } from "@rollcall/api"

/** Counts as a replica: not finished and not on its way out. Upstream: pkg/controller/controller_utils.go IsPodActive. */
export const isPodActive = (pod: Pod): boolean => !isPodTerminal(pod) && pod.metadata.deletionTimestamp === undefined

/** On its way out, but still there. */
export const isPodTerminating = (pod: Pod): boolean =>
  !isPodTerminal(pod) && pod.metadata.deletionTimestamp !== undefined

/** Since when the pod has been ready; NaN when it is not, or nobody said. */
export const readySince = (pod: Pod): number => {
  const condition = getPodCondition(pod.status, "Ready")
  if (condition?.status !== "True" || condition.lastTransitionTime === undefined) return Number.NaN
  return parseTime(condition.lastTransitionTime)
}

/** Ready, and for long enough. Upstream: pkg/api/v1/pod/util.go IsPodAvailable. */
export const isPodAvailable = (pod: Pod, minReadySeconds: number, nowMs: number): boolean =>
  isPodReady(pod) && (minReadySeconds === 0 || readySince(pod) + minReadySeconds * 1000 < nowMs)
