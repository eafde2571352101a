import { type Container, isSidecar, milliValue, type Pod, type Quantity, value } from "@rollcall/api"
import { isContainerGuaranteed, isGuaranteed, isManagedAtPodLevel, type PodLevelGates } from "../podResources.ts"

/** Returns the CPUs of a quantity; 0 if it is not a whole number. */
const wholeCpus = (cpu: Quantity | undefined): number =>
  cpu !== undefined && value(cpu) * 1000 === milliValue(cpu) ? value(cpu) : 0

/**
 * Returns how many exclusive CPUs a container gets: its request if that is a whole number and the pod is Guaranteed,
 * and otherwise 0, so that it runs on the shared pool. In a pod that is managed at pod level the container itself must
 * be Guaranteed. Upstream: pkg/kubelet/cm/cpumanager/policy_static.go guaranteedCPUs.
 */
export const exclusiveCpus = (pod: Pod, container: Container, gates: PodLevelGates): number => {
  if (!isGuaranteed(pod, gates) || (isManagedAtPodLevel(pod, gates) && !isContainerGuaranteed(container))) return 0
  return wholeCpus(container.resources?.requests?.cpu)
}

/**
 * Returns the peak of the exclusive CPUs of a pod's containers: sidecars keep running, and other init containers end
 * before the next ones start. A pod that is managed at pod level requests CPUs itself. Upstream: policy_static.go
 * podGuaranteedCPUs.
 */
export const podExclusiveCpus = (pod: Pod, gates: PodLevelGates): number => {
  if (isManagedAtPodLevel(pod, gates)) {
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
