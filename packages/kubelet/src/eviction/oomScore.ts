import { type Container, type Pod, podRequests, qosClassOf, signOf, systemNodeCritical, value } from "@rollcall/api"
import { isSidecar } from "../pod/ContainerRestart.ts"
import { isCriticalPod } from "../pod/CriticalPod.ts"

const LAST_TO_GO = -997
const FIRST_TO_GO = 1000

const memoryRequest = (container: Container): number => value(container.resources?.requests?.memory ?? "0")

/** A pod-level request beyond the containers' requests, divided equally. KEP-2837. */
const sharedRequest = (pod: Pod): number => {
  const { containers, initContainers = [], resources } = pod.spec
  const asked = resources?.requests?.memory
  if (asked === undefined || signOf(asked) === 0) return 0
  const own = podRequests(pod, { excludeOverhead: true, skipPodLevelResources: true }).memory
  const rest = value(asked) - (own === undefined ? 0 : value(own))
  return Math.trunc(rest / (containers.length + initContainers.length))
}

/**
 * `oom_score_adj` of a container's processes: the higher, the sooner the kernel kills them when memory runs out. For a
 * Burstable pod it decreases with the container's share of the machine's memory, and a sidecar's is at most that of
 * any container it serves. Upstream: pkg/kubelet/qos/policy.go GetContainerOOMScoreAdjust.
 */
export const oomScoreOf = (
  pod: Pod,
  container: Container,
  memoryCapacityBytes: number,
  podLevelResources = true
): number => {
  if (isCriticalPod(pod) && pod.spec.priorityClassName === systemNodeCritical.name) return LAST_TO_GO
  const qos = qosClassOf(pod, { podLevelResources })
  if (qos === "Guaranteed") return LAST_TO_GO
  if (qos === "BestEffort") return FIRST_TO_GO
  const shared = podLevelResources ? sharedRequest(pod) : 0
  const scoreFor = (requestBytes: number): number =>
    FIRST_TO_GO - Math.trunc((FIRST_TO_GO * (requestBytes + shared)) / memoryCapacityBytes)
  let score = scoreFor(memoryRequest(container))
  if (isSidecar(container)) score = Math.min(score, scoreFor(Math.min(...pod.spec.containers.map(memoryRequest))))
  // Never below the score of a Guaranteed pod that requests all memory, and never as high as BestEffort.
  return Math.min(Math.max(score, FIRST_TO_GO + LAST_TO_GO), FIRST_TO_GO - 1)
}
