import { type Pod, type PodStatus, podDisruptionTarget, updatePodCondition } from "@rollcall/api"

/**
 * The pod's status with the condition DisruptionTarget=True and the reason for the pod's deletion; the same object if
 * it has that condition already.
 */
export const withDisruptionTarget = (pod: Pod, reason: string, message: string, nowText: string): PodStatus =>
  updatePodCondition(
    pod.status ?? {},
    { type: podDisruptionTarget, status: "True", reason, message, ...observedGeneration(pod) },
    nowText
  )

/** The field observedGeneration of a condition: the pod's generation, or no field if the pod has none. */
export const observedGeneration = (pod: Pod): { readonly observedGeneration?: number } =>
  pod.metadata.generation === undefined ? {} : { observedGeneration: pod.metadata.generation }
