import {
  type Container,
  type ContainerStatus,
  formatAmounts,
  type Pod,
  type PodStatus,
  podLimits,
  podRequests
} from "@rollcall/api"
import type { Containers } from "../pod/Containers.ts"
import { type Requirements, type ResizeGates, withAllocation } from "./Allocation.ts"
import type { PodResize } from "./PodResize.ts"

const NONE: Requirements = {}

const withResources = (
  status: ContainerStatus,
  container: Container | undefined,
  resize: PodResize | undefined
): ContainerStatus => {
  if (status.containerID === undefined || container?.name !== status.name) return status
  const { name } = status
  const allocated = resize?.allocated.containers.get(name) ?? container.resources ?? NONE
  const isRunning = status.state?.running !== undefined
  const resources = (isRunning ? resize?.actuated.containers.get(name) : undefined) ?? allocated
  const { requests } = allocated
  if (status.resources === resources && status.allocatedResources === requests) return status
  if (requests !== undefined) return { ...status, allocatedResources: requests, resources }
  if (status.allocatedResources === undefined) return { ...status, resources }
  const { allocatedResources: _, ...rest } = status
  return { ...rest, resources }
}

/**
 * Returns the statuses with the resources of their containers: those that running containers have, and of the others
 * those that are allocated. The statuses have the order of the spec. Upstream: pkg/kubelet/kubelet_pods.go
 * convertToAPIContainerStatuses.
 */
export const withStatusResources = (
  containers: Containers,
  { spec }: Pod,
  resize: PodResize | undefined
): Containers => {
  const { init, regular } = containers
  return {
    ...containers,
    init:
      init.length === 0 ? init : init.map((each, index) => withResources(each, spec.initContainers?.[index], resize)),
    regular: regular.map((each, index) => withResources(each, spec.containers[index], resize))
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
