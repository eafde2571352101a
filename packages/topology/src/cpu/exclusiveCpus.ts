import {
  type Container,
  equalQuantity,
  isSidecar,
  milliValue,
  type Pod,
  type Quantity,
  signOf,
  value
} from "@rollcall/api"
import { isGuaranteed, isManagedAsWhole, type PodLevelGates } from "../podResources.ts"

/** The whole CPUs of a quantity; 0 for what is no whole number. */
const wholeCpus = (cpu: Quantity | undefined): number =>
  cpu !== undefined && value(cpu) * 1000 === milliValue(cpu) ? value(cpu) : 0

/** Upstream: pkg/kubelet/cm/qos/qos.go IsContainerEquivalentQOSGuaranteed. */
const isGuaranteedContainer = ({ resources }: Container): boolean =>
  ["cpu", "memory"].every((name) => {
    const request = resources?.requests?.[name]
    const limit = resources?.limits?.[name]
    return request !== undefined && signOf(request) !== 0 && limit !== undefined && equalQuantity(request, limit)
  })

/**
 * How many CPUs a container is to have for itself: its request, if that is a whole number and the pod is Guaranteed; else 0, and it runs
 * where everybody does. In a pod that is managed as a whole the container must be Guaranteed by itself. Upstream:
 * pkg/kubelet/cm/cpumanager/policy_static.go guaranteedCPUs.
 */
export const exclusiveCpus = (pod: Pod, container: Container, gates: PodLevelGates): number => {
  const cpu = container.resources?.requests?.cpu
  if (cpu === undefined || !isGuaranteed(pod, gates)) return 0
  return isManagedAsWhole(pod, gates) && !isGuaranteedContainer(container) ? 0 : wholeCpus(cpu)
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
