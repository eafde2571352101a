import type { Pod, PodCondition } from "@rollcall/api"
import type { ContainerSwapLimit } from "@rollcall/kubelet"
import type { Trace } from "./Trace.ts"
import type { DeletedBy } from "./TraceEntry.ts"

const conditionOf = (pod: Pod | undefined, type: string): PodCondition | undefined =>
  pod?.status?.conditions?.find((condition) => condition.type === type)

/** Returns the controller of a pod as `Kind/name`, or null if it has none. */
export const ownerOf = (pod: Pod): string | null => {
  const owner = pod.metadata.ownerReferences?.find((reference) => reference.controller === true)
  return owner === undefined ? null : `${owner.kind}/${owner.name}`
}

/** The start of the status message of a pod that its kubelet did not admit. */
const REJECTED = "Pod was rejected"

/** Returns the swap limits of a pod's containers; empty if the node has no swap. */
export type SwapOfPod = (pod: Pod) => ReadonlyArray<ContainerSwapLimit>

const observeStatus = (trace: Trace, previous: Pod | undefined, next: Pod, swapOf: SwapOfPod): void => {
  if (previous !== undefined && previous.status === next.status) return
  const where = {
    namespace: next.metadata.namespace ?? "",
    pod: next.metadata.name ?? "",
    node: next.spec?.nodeName ?? ""
  }
  const from = previous?.status?.phase ?? "Pending"
  const to = next.status?.phase ?? "Pending"
  if (from !== to) trace.add("PodPhaseChanged", { ...where, from, to, reason: next.status?.reason ?? "" })
  if (from !== to && to === "Running") {
    for (const swap of swapOf(next)) trace.add("ContainerSwapLimited", { ...where, ...swap })
  }
  if (from !== to && to === "Failed" && next.status?.message?.startsWith(REJECTED) === true) {
    trace.add("PodRejected", { ...where, reason: next.status.reason ?? "", message: next.status.message })
  }
  const ready = conditionOf(next, "Ready")?.status === "True"
  if ((conditionOf(previous, "Ready")?.status === "True") !== ready) trace.add("PodReadyChanged", { ...where, ready })
  const disruption = conditionOf(next, "DisruptionTarget")
  if (disruption !== undefined && conditionOf(previous, "DisruptionTarget")?.status !== disruption.status) {
    trace.add("PodConditionChanged", {
      ...where,
      condition: disruption.type,
      status: disruption.status,
      reason: disruption.reason ?? ""
    })
  }
  const scheduled = conditionOf(next, "PodScheduled")
  if (scheduled?.status === "False" && scheduled.message !== conditionOf(previous, "PodScheduled")?.message) {
    const { namespace, pod } = where
    trace.add("PodUnschedulable", { namespace, pod, message: scheduled.message ?? "" })
  }
}

/** Returns the cause of a pod's last deletion request, and of its forced deletion if there was one. */
export interface DeletionCauses {
  readonly deletedBy: (pod: Pod) => DeletedBy
  readonly forcedBy: (pod: Pod) => DeletedBy | undefined
}

/** Adds the trace entries for one change of a Pod object. */
export const observePod = (
  trace: Trace,
  previous: Pod | undefined,
  next: Pod | undefined,
  { deletedBy, forcedBy }: DeletionCauses,
  swapOf: SwapOfPod = () => []
): void => {
  const object = next ?? previous
  if (object === undefined) return
  const namespace = object.metadata.namespace ?? ""
  const pod = object.metadata.name ?? ""
  const node = object.spec?.nodeName ?? ""
  if (next === undefined) {
    const forced = forcedBy(object)
    if (object.metadata.deletionTimestamp === undefined) {
      trace.add("PodDeletionRequested", { namespace, pod, node, by: deletedBy(object), gracePeriodSeconds: 0 })
    } else if (forced !== undefined && previous?.metadata.deletionGracePeriodSeconds !== 0) {
      trace.add("PodDeletionRequested", { namespace, pod, node, by: forced, gracePeriodSeconds: 0 })
    }
    trace.add("PodDeleted", { namespace, pod, node })
    return
  }
  if (previous === undefined) {
    trace.add("PodCreated", { namespace, pod, owner: ownerOf(next), ...(node === "" ? {} : { node }) })
  } else if (node !== "" && (previous.spec?.nodeName ?? "") === "") {
    trace.add("PodScheduled", { namespace, pod, node })
  }
  observeStatus(trace, previous, next, swapOf)
  const asked = next.metadata.deletionTimestamp !== undefined
  const grace = next.metadata.deletionGracePeriodSeconds ?? 0
  const askedBefore = previous?.metadata.deletionTimestamp !== undefined
  if (asked && (!askedBefore || previous?.metadata.deletionGracePeriodSeconds !== grace)) {
    trace.add("PodDeletionRequested", { namespace, pod, node, by: deletedBy(next), gracePeriodSeconds: grace })
  }
}
