import { getPodCondition, type Pod, type PodCondition, podDisruptionTarget, updatePodCondition } from "@rollcall/api"

/**
 * The condition DisruptionTarget=True that a pod gets before it is deleted; undefined when it says so already, with the
 * same reason and message.
 */
export const disruptionTarget = (
  pod: Pod,
  reason: string,
  message: string,
  nowText: string
): PodCondition | undefined => {
  const status = pod.status ?? {}
  const condition: PodCondition = { type: podDisruptionTarget, status: "True", reason, message }
  const updated = updatePodCondition(status, { ...condition, ...observedGeneration(pod) }, nowText)
  return updated === status ? undefined : getPodCondition(updated, podDisruptionTarget)
}

/** What a status written by a controller says of the spec it was made for. */
export const observedGeneration = (pod: Pod): { readonly observedGeneration?: number } =>
  pod.metadata.generation === undefined ? {} : { observedGeneration: pod.metadata.generation }
