import {
  type Amounts,
  type Container,
  formatAmounts,
  type Pod,
  type PodSpec,
  type PodStatus,
  podLimits,
  podRequests,
  type ResourceList
} from "@rollcall/api"
import { type Requirements, type ResizeGates, withAllocation } from "./Allocation.ts"
import type { PodResize } from "./PodResize.ts"

type PodLevelStatus = Pick<PodStatus, "allocatedResources" | "resources">

const isEmpty = (list: ResourceList | Amounts): boolean => Object.keys(list).length === 0

const requirements = (requests: ResourceList, limits: ResourceList): Requirements => ({
  ...(isEmpty(limits) ? {} : { limits }),
  ...(isEmpty(requests) ? {} : { requests })
})

/** Those of the amounts with these names. */
const only = (amounts: Amounts, ...names: ReadonlyArray<string>): ResourceList =>
  formatAmounts(Object.fromEntries(Object.entries(amounts).filter(([name]) => names.includes(name))))

const all = ({ spec }: Pod): ReadonlyArray<Container> => [...(spec.initContainers ?? []), ...spec.containers]

/**
 * Returns what a running pod has, as its control group would show: limits of cpu and memory if all of its containers have
 * one, or the pod as a whole. Upstream: pkg/kubelet/kubelet_pods.go convertToAPIPodLevelResourcesStatus.
 */
const ofRunning = (pod: Pod): Requirements => {
  const { limits = {}, requests = {} } = pod.spec.resources ?? {}
  const limited = ["cpu", "memory"].filter(
    (name) => limits[name] !== undefined || all(pod).every(({ resources }) => resources?.limits?.[name] !== undefined)
  )
  return requirements(
    { ...requests, ...only(podRequests(pod), "cpu", "memory") },
    { ...limits, ...only(podLimits(pod), ...limited) }
  )
}

/** Upstream: pkg/kubelet/kubelet_pods.go getEffectiveAllocatedResources. */
const ofOther = (pod: Pod): Requirements => requirements(formatAmounts(podRequests(pod)), formatAmounts(podLimits(pod)))

const statusOf = (allocated: Pod, actual: Pod, isRunning: boolean): PodLevelStatus => {
  const requests = formatAmounts(podRequests(allocated))
  return {
    ...(isEmpty(requests) ? {} : { allocatedResources: requests }),
    resources: isRunning ? ofRunning(actual) : ofOther(allocated)
  }
}

/**
 * Keeps the memory request that a running pod has shown: no control group knows one. So it stays what it was before a
 * resize, until the pod ends.
 */
const withShownRequest = (status: PodLevelStatus, shown: PodStatus | undefined): PodLevelStatus => {
  const memory = shown?.resources?.requests?.memory
  const { resources = {} } = status
  if (memory === undefined || memory === resources.requests?.memory) return status
  return { ...status, resources: { ...resources, requests: { ...resources.requests, memory } } }
}

interface KnownStatuses {
  running?: PodLevelStatus
  other?: PodLevelStatus
}

/** Those of pods that are not resized, by what they depend on: the versions of a pod share it, and often the replicas of a set. */
const known = new WeakMap<PodSpec | PodSpec["containers"], KnownStatuses>()

const sourceOf = (spec: PodSpec): PodSpec | PodSpec["containers"] =>
  spec.initContainers === undefined && spec.overhead === undefined && spec.resources === undefined
    ? spec.containers
    : spec

/**
 * Returns the fields of the status of a pod with its resources as a whole: what it has, and what is allocated; `hasEnded` says
 * that its containers have stopped.
 */
export const podLevelStatus = (
  pod: Pod,
  resize: PodResize | undefined,
  gates: ResizeGates,
  hasEnded = false
): PodLevelStatus => {
  if (!gates.InPlacePodLevelResourcesVerticalScaling) return {}
  const isRunning = pod.status?.phase === "Running" && !hasEnded
  const shown = isRunning ? pod.status : undefined
  if (resize !== undefined) {
    const [allocated, actual] = [
      withAllocation(pod, resize.allocated, gates),
      withAllocation(pod, resize.actuated, gates)
    ]
    return withShownRequest(statusOf(allocated, actual, isRunning), shown)
  }
  const source = sourceOf(pod.spec)
  const statuses = known.get(source) ?? {}
  known.set(source, statuses)
  const field = isRunning ? "running" : "other"
  statuses[field] ??= statusOf(pod, pod, isRunning)
  return withShownRequest(statuses[field], shown)
}
