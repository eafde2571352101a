import type { Container, ContainerStatus, Pod } from "@rollcall/api"
import type { Containers } from "../pod/Containers.ts"
import type { Requirements } from "./Allocation.ts"
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
