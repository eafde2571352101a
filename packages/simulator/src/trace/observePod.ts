import type { Pod, PodCondition } from "@rollcall/api"
import type { ContainerSwapLimit } from "@rollcall/kubelet"
import type { Trace } from "./Trace.ts"
import type { DeletedBy } from "./TraceEntry.ts"

const conditionOf = (pod: Pod | undefined, type: string): PodCondition | undefined =>
  pod?.status?.conditions?.find((condition) => condition.type === type)

const isReady = (pod: Pod | undefined): boolean => conditionOf(pod, "Ready")?.status === "True"

/** Returns the controller of a pod as `Kind/name`, or null if it has none. */
export const ownerOf = (pod: Pod): string | null => {
  const owner = pod.metadata.ownerReferences?.find((reference) => reference.controller === true)
  return owner === undefined ? null : `${owner.kind}/${owner.name}`
}

/** The start of the status message of a pod that its kubelet did not admit. */
const REJECTED_MESSAGE = "Pod was rejected"

/** Returns the swap limits of a pod's containers; there are none if the node has no swap. */
export type SwapOfPod = (pod: Pod) => ReadonlyArray<ContainerSwapLimit>

type PodFields = { readonly namespace: string; readonly pod: string; readonly node: string }

/** Adds entries for the conditions of an in-place resize. They have no status False: one that is removed has ended. */
const observeResize = (trace: Trace, previous: Pod | undefined, next: Pod, podFields: PodFields): void => {
  for (const type of ["PodResizePending", "PodResizeInProgress"] as const) {
    const [before, after] = [conditionOf(previous, type), conditionOf(next, type)]
    if (before?.status === after?.status && before?.reason === after?.reason) continue
    trace.add("PodConditionChanged", {
      ...podFields,
      condition: type,
      status: after?.status ?? "False",
      reason: after?.reason ?? ""
    })
  }
}

/** What a change of a pod's status is seen with. */
interface StatusContext {
  readonly swapOf: SwapOfPod
  /** Whether the pod was not ready when its deletion was requested. */
  readonly isLost: boolean
}

const observeStatus = (trace: Trace, previous: Pod | undefined, next: Pod, { isLost, swapOf }: StatusContext): void => {
  // Updates share what they do not change, so equal objects mean an equal status.
  if (previous !== undefined && previous.status === next.status) return
  const podFields = {
    namespace: next.metadata.namespace ?? "",
    pod: next.metadata.name ?? "",
    node: next.spec?.nodeName ?? ""
  }
  const from = previous?.status?.phase ?? "Pending"
  const to = next.status?.phase ?? "Pending"
  if (from !== to) trace.add("PodPhaseChanged", { ...podFields, from, to, reason: next.status?.reason ?? "" })
  if (from !== to && to === "Running") {
    for (const swap of swapOf(next)) trace.add("ContainerSwapLimited", { ...podFields, ...swap })
  }
  if (from !== to && to === "Failed" && next.status?.message?.startsWith(REJECTED_MESSAGE) === true) {
    trace.add("PodRejected", { ...podFields, reason: next.status.reason ?? "", message: next.status.message })
  }
  const ready = isReady(next)
  if (isReady(previous) !== ready && !isLost) trace.add("PodReadyChanged", { ...podFields, ready })
  const disruption = conditionOf(next, "DisruptionTarget")
  if (disruption !== undefined && conditionOf(previous, "DisruptionTarget")?.status !== disruption.status) {
    trace.add("PodConditionChanged", {
      ...podFields,
      condition: disruption.type,
      status: disruption.status,
      reason: disruption.reason ?? ""
    })
  }
  observeResize(trace, previous, next, podFields)
  const scheduled = conditionOf(next, "PodScheduled")
  if (scheduled?.status === "False" && scheduled.message !== conditionOf(previous, "PodScheduled")?.message) {
    const { namespace, pod } = podFields
    trace.add("PodUnschedulable", { namespace, pod, message: scheduled.message ?? "" })
  }
}

/** The causes of pod deletions. */
export interface DeletionCauses {
  /** Returns the cause of a pod's last deletion request. */
  readonly deletedBy: (pod: Pod) => DeletedBy
  /** Returns the cause of a pod's deletion with grace period 0, or undefined if there was none. */
  readonly forcedBy: (pod: Pod) => DeletedBy | undefined
}

/**
 * Adds the trace entries for one change of a Pod object. `lost` keeps the pods that were not ready when their deletion was
 * requested: the kubelet of a node that is back reports that their containers still run, but they are in no Service any
 * more.
 */
export const observePod = (
  trace: Trace,
  previous: Pod | undefined,
  next: Pod | undefined,
  { deletedBy, forcedBy }: DeletionCauses,
  { lost = new Set(), swapOf = () => [] }: { readonly swapOf?: SwapOfPod; readonly lost?: Set<string> } = {}
): void => {
  const object = next ?? previous
  if (object === undefined) return
  const namespace = object.metadata.namespace ?? ""
  const pod = object.metadata.name ?? ""
  const node = object.spec?.nodeName ?? ""
  const key = `${namespace}/${pod}`
  if (next === undefined) {
    lost.delete(key)
    forcedBy(object)
    if (object.metadata.deletionTimestamp === undefined) {
      trace.add("PodDeletionRequested", { namespace, pod, node, by: deletedBy(object), gracePeriodSeconds: 0 })
    }
    trace.add("PodDeleted", { namespace, pod, node })
    return
  }
  if (previous === undefined) {
    trace.add("PodCreated", { namespace, pod, owner: ownerOf(next), ...(node === "" ? {} : { node }) })
  } else if (node !== "" && (previous.spec?.nodeName ?? "") === "") {
    trace.add("PodScheduled", { namespace, pod, node })
  }
  observeStatus(trace, previous, next, { swapOf, isLost: lost.has(key) })
  const isTerminating = next.metadata.deletionTimestamp !== undefined
  const grace = next.metadata.deletionGracePeriodSeconds ?? 0
  const wasTerminating = previous?.metadata.deletionTimestamp !== undefined
  if (isTerminating && !wasTerminating && !isReady(next)) lost.add(key)
  if (isTerminating && (!wasTerminating || previous?.metadata.deletionGracePeriodSeconds !== grace)) {
    // A kubelet's own delete, which ends every deletion, also sets a grace period of 0.
    const by = wasTerminating && grace === 0 ? forcedBy(next) : deletedBy(next)
    if (by !== undefined) trace.add("PodDeletionRequested", { namespace, pod, node, by, gracePeriodSeconds: grace })
  }
}
