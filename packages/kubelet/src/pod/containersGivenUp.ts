import type { ContainerStatus, Pod } from "@rollcall/api"
import { type Containers, containersCreating } from "./Containers.ts"

const isGivenUp = ({ lastState, state }: ContainerStatus): boolean =>
  state?.waiting?.message !== undefined && lastState?.terminated === undefined

/**
 * Returns the statuses of a pod that is being deleted: a container that could not be started will not be, so that why it waits is no longer
 * shown. Returns undefined if there is none. Upstream: pkg/kubelet/kubelet_pods.go convertToAPIContainerStatuses, ShouldContainerBeRestarted.
 */
export const containersGivenUp = (pod: Pod, containers: Containers): Containers | undefined => {
  if (pod.metadata.deletionTimestamp === undefined) return undefined
  if (![...containers.init, ...containers.regular].some(isGivenUp)) return undefined
  const [creating] = containersCreating(pod).regular
  const state = creating?.state ?? {}
  const shown = (status: ContainerStatus) => (isGivenUp(status) ? { ...status, state } : status)
  return { ...containers, init: containers.init.map(shown), regular: containers.regular.map(shown) }
}
