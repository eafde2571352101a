import type { Container, Pod } from "@rollcall/api"
import type { AllocateFailure, HintProvider, TopologyHint } from "../hints.ts"
import type { ResourceMetrics } from "../metrics.ts"
import { containersOf, isManagedAtPodLevel, type PodLevelGates } from "../podResources.ts"
import type { Merge } from "./policies.ts"
import { affinityRefusal, type PodRefusal, podLevelRefusal, refusalOf } from "./refusal.ts"

/** The values of `topologyManagerScope`. */
export const topologyScopeNames = ["container", "pod"] as const
export type TopologyScopeName = (typeof topologyScopeNames)[number] | "none"

export const isTopologyScopeName = (name: string): name is "container" | "pod" =>
  topologyScopeNames.some((known) => known === name)

/** The inputs of an admission besides the pod. */
export interface ScopeContext {
  /** The providers, in the order in which they are called. */
  readonly providers: ReadonlyArray<HintProvider>
  readonly merge: Merge
  /** Whether the policy guarantees one NUMA node, so that alignment is counted. */
  readonly guaranteesAlignment: boolean
  readonly gates: PodLevelGates
  readonly metrics: ResourceMetrics
  /** Stores the merged hint of a container, for the providers' allocations. */
  readonly store: (podUid: string, containerName: string, hint: TopologyHint) => void
}

/** Allocates a pod's resources, or returns why the pod is refused. */
export type Admit = (context: ScopeContext, pod: Pod) => PodRefusal | undefined

const allocateContainer = (
  { providers }: ScopeContext,
  pod: Pod,
  container: Container
): AllocateFailure | undefined => {
  for (const provider of providers) {
    const failure = provider.allocate(pod, container)
    if (failure !== undefined) return failure
  }
  return undefined
}

const countAligned = (
  { guaranteesAlignment, metrics }: ScopeContext,
  scope: "container" | "pod",
  outcome: "count" | "failure_count"
): void => {
  if (!guaranteesAlignment) return
  metrics.add(`kubelet_container_aligned_compute_resources_${outcome}`, { scope, boundary: "numa_node" })
}

const countError = ({ metrics }: ScopeContext): void => metrics.add("kubelet_topology_manager_admission_errors_total")

const refuseHint = (context: ScopeContext, pod: Pod, scope: "container" | "pod"): PodRefusal => {
  countAligned(context, scope, "failure_count")
  countError(context)
  return isManagedAtPodLevel(pod, context.gates) ? podLevelRefusal(scope) : affinityRefusal
}

const refuseAllocation = (context: ScopeContext, failure: AllocateFailure): PodRefusal => {
  countError(context)
  return refusalOf(failure)
}

/** Admits container by container. Hints of a container depend on earlier allocations; a refusal does not undo these. */
const admitByContainer: Admit = (context, pod) => {
  for (const container of containersOf(pod)) {
    const answers = context.providers.map((provider) => provider.getTopologyHints(pod, container))
    const { admit, hint } = context.merge(answers)
    if (!admit) return refuseHint(context, pod, "container")
    context.store(pod.metadata.uid ?? "", container.name, hint)
    const failure = allocateContainer(context, pod, container)
    if (failure !== undefined) return refuseAllocation(context, failure)
    countAligned(context, "container", "count")
  }
  return undefined
}

const allocateForPod = (context: ScopeContext, pod: Pod, hint: TopologyHint): AllocateFailure | undefined => {
  for (const { name } of containersOf(pod)) context.store(pod.metadata.uid ?? "", name, hint)
  for (const provider of context.providers) {
    const failure = provider.allocatePod?.(pod)
    if (failure !== undefined) return failure
  }
  return undefined
}

const allocateForEachContainer = (context: ScopeContext, pod: Pod, hint: TopologyHint): AllocateFailure | undefined => {
  for (const container of containersOf(pod)) {
    context.store(pod.metadata.uid ?? "", container.name, hint)
    const failure = allocateContainer(context, pod, container)
    if (failure !== undefined) return failure
  }
  return undefined
}

/** Admits with one merged hint for all containers. If the hints cannot be merged, nothing is allocated. */
const admitByPod: Admit = (context, pod) => {
  const { admit, hint } = context.merge(context.providers.map((provider) => provider.getPodTopologyHints(pod)))
  if (!admit) return refuseHint(context, pod, "pod")
  const allocate = isManagedAtPodLevel(pod, context.gates) ? allocateForPod : allocateForEachContainer
  const failure = allocate(context, pod, hint)
  if (failure !== undefined) return refuseAllocation(context, failure)
  countAligned(context, "pod", "count")
  return undefined
}

/** Admits under policy none: requests no hints, and does not count a failed allocation as an error of this manager. */
const admitWithoutHints: Admit = (context, pod) => {
  for (const container of containersOf(pod)) {
    const failure = allocateContainer(context, pod, container)
    if (failure !== undefined) return refusalOf(failure)
  }
  return undefined
}

/** How each scope admits pods. Upstream: topologymanager/scope_container.go, scope_pod.go, scope_none.go. */
export const admitByScope: Readonly<Record<TopologyScopeName, Admit>> = {
  container: admitByContainer,
  pod: admitByPod,
  none: admitWithoutHints
}
