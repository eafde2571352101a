import type { Container, Pod } from "@rollcall/api"
import type { AllocateFailure, HintProvider, TopologyHint } from "../hints.ts"
import type { ResourceMetrics } from "../metrics.ts"
import { containersOf, isManagedAtPodLevel, type PodLevelGates } from "../podResources.ts"
import type { Merge } from "./policies.ts"
import { affinityRefusal, type PodRefusal, podLevelRefusal, refusalOf } from "./refusal.ts"

export const topologyScopeNames = ["container", "pod"] as const
export type TopologyScopeName = (typeof topologyScopeNames)[number] | "none"

export const isTopologyScopeName = (name: string): name is "container" | "pod" =>
  topologyScopeNames.some((known) => known === name)

/** The inputs of an admission besides the pod. */
export interface ScopeContext {
  /** In the order in which they are called. */
  readonly providers: ReadonlyArray<HintProvider>
  readonly merge: Merge
  /** Whether the policy guarantees one NUMA node, so that alignment is counted. */
  readonly guaranteesAlignment: boolean
  readonly gates: PodLevelGates
  readonly metrics: ResourceMetrics
  readonly store: (podUid: string, containerName: string, hint: TopologyHint) => void
}

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

/** Container by container: a later one sees the allocations of earlier ones, and a refusal leaves those in place. */
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

const allocateWhole = (context: ScopeContext, pod: Pod, hint: TopologyHint): AllocateFailure | undefined => {
  for (const { name } of containersOf(pod)) context.store(pod.metadata.uid ?? "", name, hint)
  for (const provider of context.providers) {
    const failure = provider.allocatePod?.(pod)
    if (failure !== undefined) return failure
  }
  return undefined
}

const allocateEach = (context: ScopeContext, pod: Pod, hint: TopologyHint): AllocateFailure | undefined => {
  for (const container of containersOf(pod)) {
    context.store(pod.metadata.uid ?? "", container.name, hint)
    const failure = allocateContainer(context, pod, container)
    if (failure !== undefined) return failure
  }
  return undefined
}

/** One hint for all containers; a refusal leaves nothing allocated. */
const admitByPod: Admit = (context, pod) => {
  const { admit, hint } = context.merge(context.providers.map((provider) => provider.getPodTopologyHints(pod)))
  if (!admit) return refuseHint(context, pod, "pod")
  const allocate = isManagedAtPodLevel(pod, context.gates) ? allocateWhole : allocateEach
  const failure = allocate(context, pod, hint)
  if (failure !== undefined) return refuseAllocation(context, failure)
  countAligned(context, "pod", "count")
  return undefined
}

/** Policy none: requests no hints, and a failed allocation is not counted as an error of the topology manager. */
const admitWithoutHints: Admit = (context, pod) => {
  for (const container of containersOf(pod)) {
    const failure = allocateContainer(context, pod, container)
    if (failure !== undefined) return refusalOf(failure)
  }
  return undefined
}

/** Upstream: topologymanager/scope_container.go, scope_pod.go, scope_none.go. */
export const admitByScope: Readonly<Record<TopologyScopeName, Admit>> = {
  container: admitByContainer,
  pod: admitByPod,
  none: admitWithoutHints
}
