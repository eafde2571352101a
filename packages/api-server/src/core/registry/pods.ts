import { type Pod, type PodStatus, podScheduled, qosClassOf } from "@rollcall/api"
import type { KindOptions } from "./KindDefinition.ts"

/** A new pod waits to be scheduled, whatever its maker says of its status. */
const initialStatus = (pod: Pod): PodStatus => {
  const status: PodStatus = { phase: "Pending", qosClass: qosClassOf(pod) }
  if ((pod.spec.schedulingGates?.length ?? 0) === 0) return status
  const message = "Scheduling is blocked due to non-empty scheduling gates"
  return { ...status, conditions: [{ type: podScheduled, status: "False", reason: "SchedulingGated", message }] }
}

/** Upstream: pkg/registry/core/pod/strategy.go. */
export const pods: KindOptions<Pod> = {
  subresources: ["status", "binding", "eviction"],
  tracksGeneration: true,
  indexedField: "spec.nodeName",
  strategy: {
    prepareForCreate: (pod) => ({ ...pod, status: initialStatus(pod) }),
    // Old kubelets sent owners and deletion back as they first saw them; that must not undo what happened since.
    prepareForStatusUpdate: (pod, stored) => {
      if (pod.metadata.ownerReferences === stored.metadata.ownerReferences) return pod
      const { ownerReferences: _, ...metadata } = pod.metadata
      const { ownerReferences } = stored.metadata
      return { ...pod, metadata: ownerReferences === undefined ? metadata : { ...metadata, ownerReferences } }
    }
  },
  fieldOf: ({ spec, status }, field) => {
    switch (field) {
      case "spec.nodeName":
        return spec.nodeName
      case "spec.restartPolicy":
        return spec.restartPolicy
      case "spec.schedulerName":
        return spec.schedulerName
      case "spec.serviceAccountName":
        return spec.serviceAccountName
      case "spec.hostNetwork":
        return String(spec.hostNetwork ?? false)
      case "status.phase":
        return status?.phase
      case "status.podIP":
        return status?.podIPs?.[0]?.ip ?? status?.podIP
      case "status.podIPs":
        return status?.podIPs?.map(({ ip }) => ip).join(",")
      case "status.nominatedNodeName":
        return status?.nominatedNodeName
      default:
        return undefined
    }
  }
}
