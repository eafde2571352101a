import type { Container, Pod } from "@rollcall/api"
import * as Result from "effect/Result"
import { type AllocateFailure, allocateFailure } from "../hints.ts"
import { containersOf, isPodLevelUnmanaged, isRegularInitContainer } from "../podResources.ts"
import type { CpuManager, CpuManagerOptions } from "./CpuManager.ts"
import { CpuSet } from "./CpuSet.ts"
import { type CpuState, cpusOwnedBy, ownedCpus, releaseContainer, withContainers, withPod } from "./CpuState.ts"
import { cpusOfUnit, isUncoreAligned } from "./CpuTopology.ts"
import { cpuStateFile, cpuStateText } from "./cpuCheckpoint.ts"
import { containerCpuHints, podCpuHints } from "./cpuHints.ts"
import { exclusiveCpus, podExclusiveCpus } from "./exclusiveCpus.ts"
import { partitionPodCpus, podShareFault } from "./podCpus.ts"
import { cpuSetChanges } from "./reconcileCpus.ts"
import { assignable, chooseCpus, type StaticPolicy, smtAlignmentFault } from "./StaticPolicy.ts"

/** The manager's dependencies. */
type Context = Pick<CpuManagerOptions, "affinity" | "checkpoint" | "gates" | "metrics">

/**
 * Makes the CPU manager of policy static. It keeps the state, has the decisions made, counts, and saves changes.
 * Upstream: pkg/kubelet/cm/cpumanager/policy_static.go.
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: one checkpoint of CPUs, and the calls of the kubelet on it.
export const makeStaticCpuManager = (policy: StaticPolicy, initialState: CpuState, context: Context): CpuManager => {
  const { affinity, checkpoint, gates, metrics } = context
  let state = initialState
  /** CPUs that completed init containers leave to the pod that was last allocated. */
  let reusablePod: { readonly podUid: string; readonly cpus: CpuSet } | undefined
  /** The CPU sets that the runtime applied last, by pod uid and container name. */
  const written = new Map<string, Map<string, CpuSet>>()

  const save = (): void => {
    checkpoint?.write(cpuStateFile, cpuStateText("static", state, gates.PodLevelResourceManagers))
    updateGauges(policy, state, metrics)
  }
  const reusableBy = (pod: Pod): CpuSet =>
    (reusablePod?.podUid === pod.metadata.uid ? reusablePod?.cpus : undefined) ?? CpuSet.empty
  const updateReuse = (pod: Pod, container: Container, cpus: CpuSet): void => {
    const reusable = reusableBy(pod)
    reusablePod = {
      podUid: pod.metadata.uid ?? "",
      cpus: isRegularInitContainer(pod, container) ? reusable.union(cpus) : reusable.difference(cpus)
    }
  }
  const hintContext = (pod: Pod) => ({ policy, state, gates, reusable: reusableBy(pod) })

  const allocateContainer = (pod: Pod, container: Container, wanted: number): AllocateFailure | undefined => {
    const misaligned = smtAlignmentFault(policy, state.shared, wanted)
    if (misaligned !== undefined) return misaligned
    const podUid = pod.metadata.uid ?? ""
    const owned = cpusOwnedBy(state, podUid, container.name)
    if (owned !== undefined) {
      updateReuse(pod, container, owned)
      return undefined
    }
    const { mask } = affinity.getAffinity(podUid, container.name)
    const chosen = chooseCpus(policy, state.shared, wanted, mask, reusableBy(pod))
    if (Result.isFailure(chosen)) return chosen.failure
    state = withContainers(state, podUid, [[container.name, chosen.success]])
    updateReuse(pod, container, chosen.success)
    countUncoreAligned(chosen.success)
    save()
    return undefined
  }

  const allocateForPod = (pod: Pod, wanted: number): AllocateFailure | undefined => {
    const fault = podShareFault(pod, gates)
    if (fault !== undefined) return allocateFailure(fault, "EmptyPodSharedPoolError")
    const misaligned = smtAlignmentFault(policy, state.shared, wanted)
    if (misaligned !== undefined) return misaligned
    const podUid = pod.metadata.uid ?? ""
    const { mask } = affinity.getAffinity(podUid, containersOf(pod)[0]?.name ?? "")
    const chosen = chooseCpus(policy, state.shared, wanted, mask, CpuSet.empty)
    if (Result.isFailure(chosen)) return chosen.failure
    const parts = partitionPodCpus(policy, pod, chosen.success, gates)
    if (Result.isFailure(parts)) return parts.failure
    state = withPod(state, podUid, chosen.success, parts.success)
    countUncoreAligned(chosen.success)
    save()
    return undefined
  }

  const countUncoreAligned = (cpus: CpuSet): void => {
    if (!isUncoreAligned(policy.topology, cpus)) return
    metrics.add("kubelet_container_aligned_compute_resources_count", { scope: "container", boundary: "uncore_cache" })
  }
  const countPhysical = (outcome: "count" | "failure_count"): void => {
    if (!policy.options.fullPcpusOnly) return
    const labels = { scope: "container", boundary: "physical_cpu" }
    metrics.add(`kubelet_container_aligned_compute_resources_${outcome}`, labels)
  }

  const release = (podUids: Iterable<string>): void => {
    const before = state
    for (const podUid of podUids) {
      for (const name of state.containers.get(podUid)?.keys() ?? []) state = releaseContainer(state, podUid, name)
    }
    if (state !== before) save()
  }
  const removeStale = (active: ReadonlySet<string>): void => {
    for (const podUid of written.keys()) if (!active.has(podUid)) written.delete(podUid)
    if (reusablePod !== undefined && !active.has(reusablePod.podUid)) reusablePod = undefined
    release([...state.containers.keys()].filter((podUid) => !active.has(podUid)))
  }

  save()
  return {
    name: "cpu",
    policy: "static",
    state: () => state,
    allocatable: policy.topology.all.difference(policy.reserved),
    cpusOf: (podUid, containerName) => cpusOwnedBy(state, podUid, containerName) ?? state.shared,
    getTopologyHints: (pod, container) => containerCpuHints(hintContext(pod), pod, container),
    getPodTopologyHints: (pod) => podCpuHints(hintContext(pod), pod),
    allocate: (pod, container) => {
      const wanted = exclusiveCpus(pod, container, gates)
      if (wanted === 0 || isPodLevelUnmanaged(pod, gates)) return undefined
      metrics.add("kubelet_cpu_manager_pinning_requests_total")
      const failure = allocateContainer(pod, container, wanted)
      if (failure !== undefined) metrics.add("kubelet_cpu_manager_pinning_errors_total")
      countPhysical(failure === undefined ? "count" : "failure_count")
      return failure
    },
    allocatePod: (pod) => {
      const wanted = podExclusiveCpus(pod, gates)
      if (wanted === 0 || state.pods.has(pod.metadata.uid ?? "")) return undefined
      const failure = allocateForPod(pod, wanted)
      if (failure !== undefined) metrics.add("kubelet_cpu_manager_pinning_errors_total")
      else {
        for (const container of containersOf(pod)) {
          if (exclusiveCpus(pod, container, gates) > 0) metrics.add("kubelet_cpu_manager_pinning_requests_total")
        }
      }
      return failure
    },
    removeStale,
    reconcile: (activePods, write) => {
      removeStale(new Set(activePods.map((pod) => pod.metadata.uid ?? "")))
      for (const change of cpuSetChanges(state, activePods, written)) {
        if (!write(change)) continue
        const setsOfPod = written.get(change.podUid) ?? new Map<string, CpuSet>()
        written.set(change.podUid, setsOfPod.set(change.containerName, change.cpus))
      }
    }
  }
}

/** Sets the gauges to the state. */
const updateGauges = (policy: StaticPolicy, state: CpuState, metrics: CpuManagerOptions["metrics"]): void => {
  const owned = ownedCpus(state)
  metrics.set("kubelet_cpu_manager_shared_pool_size_millicores", assignable(policy, state.shared).size * 1000)
  metrics.set("kubelet_cpu_manager_exclusive_cpu_allocation_count", owned.size)
  for (const node of policy.topology.numaNodeIds) {
    const count = owned.intersection(cpusOfUnit(policy.topology, "numaNode", node)).size
    metrics.set("kubelet_cpu_manager_allocation_per_numa", count, { numa_node: String(node) })
  }
}
