import { type Container, type Pod, podRequests, qosClassOf, signOf, systemNodeCritical, value } from "@rollcall/api"
import { isSidecar } from "../pod/ContainerRestart.ts"
import { isCriticalPod } from "../pod/CriticalPod.ts"

/** Upstream: pkg/kubelet/qos/policy.go guaranteedOOMScoreAdj, besteffortOOMScoreAdj. */
const GUARANTEED_SCORE = -997
const BEST_EFFORT_SCORE = 1000

const memoryRequest = (container: Container): number => value(container.resources?.requests?.memory ?? "0")

/** Returns a container's share of a pod-level request beyond the containers' requests, divided equally. KEP-2837. */
const sharedRequest = (pod: Pod): number => {
  const { containers, initContainers = [], resources } = pod.spec
  const podRequest = resources?.requests?.memory
  if (podRequest === undefined || signOf(podRequest) === 0) return 0
  const containersRequest = podRequests(pod, { excludeOverhead: true, skipPodLevelResources: true }).memory
  const surplus = value(podRequest) - (containersRequest === undefined ? 0 : value(containersRequest))
  return Math.trunc(surplus / (containers.length + initContainers.length))
}

/**
 * Returns `oom_score_adj` of a container's processes: the higher it is, the sooner the kernel kills them when memory
 * runs out. For a Burstable pod it decreases with the container's share of the machine's memory, and a sidecar's is at
 * most that of any regular container. Upstream: pkg/kubelet/qos/policy.go GetContainerOOMScoreAdjust.
 */
export const oomScoreOf = (
  pod: Pod,
  container: Container,
  memoryCapacityBytes: number,
  podLevelResources = true
): number => {
  if (isCriticalPod(pod) && pod.spec.priorityClassName === systemNodeCritical.name) return GUARANTEED_SCORE
  const qos = qosClassOf(pod, { podLevelResources })
  if (qos === "Guaranteed") return GUARANTEED_SCORE
  if (qos === "BestEffort") return BEST_EFFORT_SCORE
  const shared = podLevelResources ? sharedRequest(pod) : 0
  const scoreFor = (requestBytes: number): number =>
    BEST_EFFORT_SCORE - Math.trunc((BEST_EFFORT_SCORE * (requestBytes + shared)) / memoryCapacityBytes)
  let score = scoreFor(memoryRequest(container))
  if (isSidecar(container)) score = Math.min(score, scoreFor(Math.min(...pod.spec.containers.map(memoryRequest))))
  // Never below the score of a Guaranteed pod that requests all memory, and never as high as BestEffort.
  return Math.min(Math.max(score, BEST_EFFORT_SCORE + GUARANTEED_SCORE), BEST_EFFORT_SCORE - 1)
}
