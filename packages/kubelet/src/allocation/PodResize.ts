import type { ContainerStatus, Pod, PodCondition } from "@rollcall/api"
import type { Timer } from "@rollcall/time"
import { type Allocation, allocationOf, type Requirements, type ResizeGates, sameRequirements } from "./Allocation.ts"

/** A resize of a pod: from the first change of its resources until its containers have them. */
export interface PodResize {
  readonly gates: ResizeGates
  allocated: Allocation
  /** What the containers that run have. Those that start get what is allocated. */
  actuated: Allocation
  pending: PodCondition | undefined
  inProgress: PodCondition | undefined
  /** The next attempt to give the containers what is allocated. */
  timer: Timer | undefined
  /** When the kubelet began to do that. */
  startedMs: number
}

const resizeOf = (gates: ResizeGates, allocated: Allocation, actuated: Allocation): PodResize => ({
  gates,
  allocated,
  actuated,
  pending: undefined,
  inProgress: undefined,
  timer: undefined,
  startedMs: 0
})

/** Returns the resize of a pod that has the resources of `before`. */
export const resizeFrom = (before: Pod, gates: ResizeGates): PodResize => {
  const allocated = allocationOf(before, gates)
  return resizeOf(gates, allocated, allocated)
}

const isEqual = ({ resources = {} }: { readonly resources?: Requirements | undefined }, other: Requirements): boolean =>
  sameRequirements(resources, other)

const reportsResources = ({ resources }: ContainerStatus): boolean => resources !== undefined
const isOfResize = ({ type }: PodCondition): boolean => type === "PodResizePending" || type === "PodResizeInProgress"

/** Whether a pod's status may show a resize: what is not reported does not differ. */
const mayShowResize = ({ status }: Pod): boolean =>
  status?.containerStatuses?.some(reportsResources) === true ||
  status?.initContainerStatuses?.some(reportsResources) === true ||
  status?.conditions?.some(isOfResize) === true

/**
 * Returns the resize of a pod that another kubelet process has begun, from the status that it has reported; undefined
 * if there is none. Upstream reads its checkpoint, and the conditions from the API.
 */
export const resizeFromStatus = (pod: Pod, gates: ResizeGates): PodResize | undefined => {
  if (!mayShowResize(pod)) return undefined
  const { conditions = [], containerStatuses = [], initContainerStatuses = [], resources } = pod.status ?? {}
  const of = (type: PodCondition["type"]) => conditions.find((condition) => condition.type === type)
  const [pending, inProgress] = [of("PodResizePending"), of("PodResizeInProgress")]
  const asked = allocationOf(pod, gates)
  const [allocated, actuated] = [new Map(asked.containers), new Map(asked.containers)]
  for (const { allocatedResources = {}, name, resources } of [...containerStatuses, ...initContainerStatuses]) {
    if (resources === undefined || !asked.containers.has(name)) continue
    const { limits } = resources
    actuated.set(name, resources)
    allocated.set(name, { requests: allocatedResources, ...(limits && { limits }) })
  }
  const differs = [...asked.containers].some(
    ([name, wanted]) =>
      !isEqual({ resources: allocated.get(name) }, wanted) || !isEqual({ resources: actuated.get(name) }, wanted)
  )
  if (!differs && pending === undefined && inProgress === undefined) return undefined
  const podLevel = pod.spec.resources === undefined ? undefined : (resources ?? asked.pod)
  const resize = resizeOf(gates, { pod: podLevel, containers: allocated }, { pod: podLevel, containers: actuated })
  return { ...resize, pending, inProgress }
}

/** Returns the conditions of a resize, as its pod's status has them. */
export const resizeConditions = (resize: PodResize | undefined): ReadonlyArray<PodCondition> =>
  resize === undefined ? [] : [resize.pending, resize.inProgress].filter((condition) => condition !== undefined)

/** Returns a condition of a resize. Its transition is the last change of its reason. Upstream: updatedPodResizeCondition. */
export const resizeCondition = (
  type: "PodResizePending" | "PodResizeInProgress",
  old: PodCondition | undefined,
  { generation, message, reason }: { readonly reason: string; readonly message: string; readonly generation: number },
  now: string
): PodCondition => ({
  type,
  status: "True",
  lastProbeTime: now,
  lastTransitionTime: old !== undefined && (old.reason ?? "") === reason ? (old.lastTransitionTime ?? now) : now,
  ...(reason === "" ? {} : { reason }),
  ...(message === "" ? {} : { message }),
  ...(generation === 0 ? {} : { observedGeneration: generation })
})
