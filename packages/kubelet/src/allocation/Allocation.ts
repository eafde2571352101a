import {
  type Container,
  compareQuantity,
  type FeatureGates,
  isSidecar,
  type Pod,
  podRequests,
  type ResourceList,
  zeroQuantity
} from "@rollcall/api"

export type Requirements = NonNullable<Container["resources"]>

/** The gates on which it depends what a resize may change. */
export type ResizeGates = Pick<
  FeatureGates,
  "InPlacePodLevelResourcesVerticalScaling" | "InPlacePodVerticalScalingInitContainers" | "PodLevelResources"
>

/** The resources that a kubelet has granted to a pod: those of its spec, until a resize is pending. */
export interface Allocation {
  /** The resources of the pod as a whole. */
  readonly pod: Requirements | undefined
  /** Those of each container that can be resized, by name. */
  readonly containers: ReadonlyMap<string, Requirements>
}

const NONE: Requirements = {}

const sameAmounts = (left: ResourceList = {}, right: ResourceList = {}): boolean => {
  const names = Object.keys(left)
  return (
    names.length === Object.keys(right).length &&
    names.every((name) => {
      const [one, other] = [left[name], right[name]]
      return one !== undefined && other !== undefined && (one === other || compareQuantity(one, other) === 0)
    })
  )
}

/** Whether two requirements have equal amounts, in whatever notation. */
export const sameRequirements = (left: Requirements = NONE, right: Requirements = NONE): boolean =>
  left === right || (sameAmounts(left.requests, right.requests) && sameAmounts(left.limits, right.limits))

/** Returns the containers that can be resized. Upstream: pkg/kubelet/allocation IsResizableContainer. */
export const resizableContainers = ({ spec }: Pod, gates: ResizeGates): ReadonlyArray<Container> => [
  ...(spec.initContainers ?? []).filter(
    (container) => gates.InPlacePodVerticalScalingInitContainers || isSidecar(container)
  ),
  ...spec.containers
]

/** Returns the resources that the pod's spec asks for, as an allocation. */
export const allocationOf = (pod: Pod, gates: ResizeGates): Allocation => ({
  pod: gates.InPlacePodLevelResourcesVerticalScaling ? pod.spec.resources : undefined,
  containers: new Map(resizableContainers(pod, gates).map(({ name, resources = NONE }) => [name, resources]))
})

const allocatedContainers = <A extends ReadonlyArray<Container> | undefined>(list: A, allocation: Allocation): A => {
  const isAsked = ({ name, resources }: Container) =>
    sameRequirements(allocation.containers.get(name) ?? resources, resources)
  if (list === undefined || list.every(isAsked)) return list
  return list.map((container) =>
    isAsked(container) ? container : { ...container, resources: allocation.containers.get(container.name) ?? NONE }
  ) as ReadonlyArray<Container> as A
}

/** Returns the pod with the resources that it was granted; the same pod, if these are the ones that it asks for. */
export const withAllocation = (pod: Pod, allocation: Allocation, gates: ResizeGates): Pod => {
  const { spec } = pod
  const containers = allocatedContainers(spec.containers, allocation)
  const initContainers = allocatedContainers(spec.initContainers, allocation)
  const isPodLevelAsked =
    !gates.InPlacePodLevelResourcesVerticalScaling || sameRequirements(spec.resources, allocation.pod)
  if (containers === spec.containers && initContainers === spec.initContainers && isPodLevelAsked) return pod
  const { resources, ...rest } = spec
  const podLevel = isPodLevelAsked ? resources : allocation.pod
  return {
    ...pod,
    spec: { ...rest, containers, ...(initContainers && { initContainers }), ...(podLevel && { resources: podLevel }) }
  }
}

/** Whether the pod asks for more CPU or memory than `allocated`, which is the pod with what it was granted. */
export const increasesRequests = (pod: Pod, allocated: Pod, { PodLevelResources }: ResizeGates): boolean => {
  const options = { skipPodLevelResources: !PodLevelResources }
  const [before, after] = [podRequests(allocated, options), podRequests(pod, options)]
  return (["cpu", "memory"] as const).some(
    (name) => compareQuantity(after[name] ?? zeroQuantity, before[name] ?? zeroQuantity) > 0
  )
}
