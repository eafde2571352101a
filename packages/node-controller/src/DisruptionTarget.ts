import { type Pod, type PodStatus, podDisruptionTarget, updatePodCondition } from "@rollcall/api"

/**
 * The pod's status with the condition DisruptionTarget=True, with the reason for the pod's deletion; the same object
 * when it has that condition already.
 */
export const withDisruptionTarget = (pod: Pod, reason: string, message: string, nowText: string): PodStatus =>
  updatePodCondition(
    pod.status ?? {},
    { type: podDisruptionTarget, status: "True", reason, message, ...observedGeneration(pod) },
    nowText
  )

/** The generation of the spec that a controller's status was made for. */
export const observedGeneration = (pod: Pod): { readonly observedGeneration?: number } =>
  pod.metadata.generation === undefined ? {} : { observedGeneration: pod.metadata.generation }
