import type { AllocateFailure } from "../hints.ts"

/** The reason and message of a refused pod's status and Event. It can be used as a kubelet's `PodRefusal`. */
export interface PodRefusal {
  readonly reason: string
  readonly message: string
}

const reason = "TopologyAffinityError"

export const affinityRefusal: PodRefusal = {
  reason,
  message: "Resources cannot be allocated with Topology locality"
}

/** Returns the refusal of a pod with pod-level resources that the managers divide. */
export const podLevelRefusal = (scope: "container" | "pod"): PodRefusal => ({
  reason,
  message:
    scope === "pod"
      ? "Pod Scope pod with pod-level resources failed admission under pod-scope topology manager"
      : "Pod Scope pod with pod-level resources failed admission with a container-level topology manager"
})

/**
 * Returns the refusal of a pod whose allocation failed. Upstream: pkg/kubelet/cm/admission/errors.go GetPodAdmitResult.
 */
export const refusalOf = ({ kind, message }: AllocateFailure): PodRefusal =>
  kind === "Other"
    ? { reason: "UnexpectedAdmissionError", message: `Allocate failed due to ${message}, which is unexpected` }
    : { reason: kind, message }
