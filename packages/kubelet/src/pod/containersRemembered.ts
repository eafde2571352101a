import type { ContainerStatus, Pod } from "@rollcall/api"
import { type Containers, containersCreating } from "./Containers.ts"

/** Returns a status of a container that is gone, given the one that the API shows: an end stays as it was. */
const remembered = (status: ContainerStatus, shown: ContainerStatus | undefined): ContainerStatus => {
  if (shown === undefined) return status
  if (shown.state?.terminated !== undefined) return shown
  const { lastState, restartCount = 0 } = shown
  return { ...status, restartCount, ...(lastState === undefined ? {} : { lastState }) }
}

/**
 * Returns the statuses of the containers of a pod of which nothing is left on the node, as a process of the kubelet
 * knows them that has just started. Upstream: pkg/kubelet/kubelet_pods.go convertToAPIContainerStatuses.
 */
export const containersRemembered = (pod: Pod): Containers => {
  const { containerStatuses, ephemeralContainerStatuses: ephemeral, initContainerStatuses } = pod.status ?? {}
  const { init, regular } = containersCreating(pod)
  const from = (shown: ReadonlyArray<ContainerStatus> | undefined) => (status: ContainerStatus) =>
    remembered(
      status,
      shown?.find(({ name }) => name === status.name)
    )
  return {
    init: init.map(from(initContainerStatuses)),
    regular: regular.map(from(containerStatuses)),
    ...(ephemeral === undefined ? {} : { ephemeral })
  }
}
