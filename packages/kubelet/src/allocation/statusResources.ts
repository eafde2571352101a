import { type ContainerStatus, formatAmounts, type Pod, type PodStatus, podLimits, podRequests } from "@rollcall/api"
import type { Containers } from "../pod/Containers.ts"
import { type Requirements, type ResizeGates, withAllocation } from "./Allocation.ts"
import type { PodResize } from "./PodResize.ts"

const NONE: Requirements = {}

/**
 * Returns the statuses with the resources of their containers: those that running containers have, and of the others
 * those that are allocated. Upstream: pkg/kubelet/kubelet_pods.go convertToAPIContainerStatuses.
 */
export const withStatusResources = (
  containers: Containers,
  { spec }: Pod,
  resize: PodResize | undefined
): Containers => {
  const specs = [...spec.containers, ...(spec.initContainers ?? [])]
  const withResources = (status: ContainerStatus): ContainerStatus => {
    const { name } = status
    const container = status.containerID === undefined ? undefined : specs.find((each) => each.name === name)
    if (container === undefined) return status
    const allocated = resize?.allocated.containers.get(name) ?? container.resources ?? NONE
    const isRunning = status.state?.running !== undefined
    const resources = (isRunning ? resize?.actuated.containers.get(name) : undefined) ?? allocated
    if (status.resources === resources && status.allocatedResources === allocated.requests) return status
    const { allocatedResources: _, ...rest } = status
    return { ...rest, ...(allocated.requests && { allocatedResources: allocated.requests }), resources }
  }
  return {
    ...containers,
    init: containers.init.length === 0 ? containers.init : containers.init.map(withResources),
    regular: containers.regular.map(withResources)
  }
}

/** Returns the fields of the status of a pod with resources as a whole: what it has, and what is allocated. */
export const podLevelStatus = (
  pod: Pod,
  resize: PodResize | undefined,
  gates: ResizeGates
): Pick<PodStatus, "allocatedResources" | "resources"> => {
  if (pod.spec.resources === undefined || !gates.InPlacePodLevelResourcesVerticalScaling) return {}
  const allocated = resize === undefined ? pod : withAllocation(pod, resize.allocated, gates)
  const actual = resize === undefined ? pod : withAllocation(pod, resize.actuated, gates)
  const limits = formatAmounts(podLimits(actual))
  return {
    allocatedResources: formatAmounts(podRequests(allocated)),
    resources: {
      ...(Object.keys(limits).length === 0 ? {} : { limits }),
      requests: formatAmounts(podRequests(actual))
    }
  }
}
