import { type Pod, type PodStatus, podDisruptionTarget, updatePodCondition } from "@rollcall/api"

/**
 * The pod's status with the condition DisruptionTarget=True, which says why the pod goes; the very same status when it says so
 * already.
 */
export const withDisruptionTarget = (pod: Pod, reason: string, message: string, nowText: string): PodStatus =>
  updatePodCondition(
    pod.status ?? {},
    { type: podDisruptionTarget, status: "True", reason, message, ...observedGeneration(pod) },
    nowText
  )

/** What a status written by a controller says of the spec it was made for. */
export const observedGeneration = (pod: Pod): { readonly observedGeneration?: number } =>
  pod.metadata.generation === undefined ? {} : { observedGeneration: pod.metadata.generation }
