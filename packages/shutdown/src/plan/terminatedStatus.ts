import { type PodStatus, updatePodCondition } from "@rollcall/api"

/** The `status.reason` of a pod that a shutdown terminated. */
export const terminatedReason = "Terminated"
/** The `status.message` of such a pod, and the message of its DisruptionTarget condition. */
export const terminatedMessage = "Pod was terminated in response to imminent node shutdown."

/**
 * Returns the status of a pod that a shutdown terminated. It is to be posted when the pod's last container has stopped,
 * and not before. The condition has the pod's generation if that is given. Upstream:
 * pkg/kubelet/nodeshutdown/nodeshutdown_manager.go killPods.
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
