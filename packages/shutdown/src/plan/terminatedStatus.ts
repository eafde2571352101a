import { type PodStatus, updatePodCondition } from "@rollcall/api"

/** `status.reason` of a pod that a shutdown terminated. */
export const terminatedReason = "Terminated"
/** Its `status.message`, and that of its DisruptionTarget condition. */
export const terminatedMessage = "Pod was terminated in response to imminent node shutdown."

/**
 * The status of a pod that a shutdown terminated, to be published when its last container has stopped, not before. The
 * condition carries the pod's generation where that is tracked.
 * Upstream: pkg/kubelet/nodeshutdown/nodeshutdown_manager.go killPods.
 */
export const terminatedStatus = (status: PodStatus, nowText: string, observedGeneration?: number): PodStatus =>
  updatePodCondition(
    {
      ...status,
      phase: status.phase === "Succeeded" ? "Succeeded" : "Failed",
      reason: terminatedReason,
      message: terminatedMessage
    },
    {
      type: "DisruptionTarget",
      status: "True",
      reason: "TerminationByKubelet",
      message: terminatedMessage,
      ...(observedGeneration === undefined ? {} : { observedGeneration })
    },
    nowText
  )
