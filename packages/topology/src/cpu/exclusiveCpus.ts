import { type Container, isSidecar, milliValue, type Pod, type Quantity, value } from "@rollcall/api"
import { isContainerGuaranteed, isGuaranteed, isManagedAsWhole, type PodLevelGates } from "../podResources.ts"

/** The whole CPUs of a quantity; 0 for what is no whole number. */
const wholeCpus = (cpu: Quantity | undefined): number =>
  cpu !== undefined && value(cpu) * 1000 === milliValue(cpu) ? value(cpu) : 0

/**
 * How many CPUs a container is to have for itself: its request, if that is a whole number and the pod is Guaranteed; else 0, and it runs
 * where everybody does. In a pod that is managed as a whole the container must be Guaranteed by itself. Upstream:
 * pkg/kubelet/cm/cpumanager/policy_static.go guaranteedCPUs.
 */
export const exclusiveCpus = (pod: Pod, container: Container, gates: PodLevelGates): number => {
  if (!isGuaranteed(pod, gates) || (isManagedAsWhole(pod, gates) && !isContainerGuaranteed(container))) return 0
  return wholeCpus(container.resources?.requests?.cpu)
}

/**
 * The most that a pod's containers hold at a time: sidecars stay, other init containers go before the rest start. A pod that is managed as a
 * whole says it itself. Upstream: policy_static.go podGuaranteedCPUs.
 */
export const podExclusiveCpus = (pod: Pod, gates: PodLevelGates): number => {
  if (isManagedAsWhole(pod, gates)) {
    return isGuaranteed(pod, gates) ? wholeCpus(pod.spec.resources?.requests?.cpu) : 0
  }
  let sidecars = 0
  let starting = 0
  for (const container of pod.spec.initContainers ?? []) {
    const cpus = exclusiveCpus(pod, container, gates)
    if (isSidecar(container)) sidecars += cpus
    else starting = Math.max(starting, sidecars + cpus)
  }
  const running = pod.spec.containers.reduce((sum, container) => sum + exclusiveCpus(pod, container, gates), sidecars)
  return Math.max(starting, running)
}
