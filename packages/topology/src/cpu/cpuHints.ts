import type { Container, Pod } from "@rollcall/api"
import type { HintLists, TopologyHint } from "../hints.ts"
import { maskCount, maskIds, maskOf, masksOver, maskWithin, type NumaMask } from "../masks.ts"
import { containersOf, isManagedAtPodLevel, isPodLevelUnmanaged, type PodLevelGates } from "../podResources.ts"
import { CpuSet } from "./CpuSet.ts"
import { type CpuState, cpusOwnedBy, unionOf } from "./CpuState.ts"
import { type CpuTopology, cpusOfUnit } from "./CpuTopology.ts"
import { exclusiveCpus, podExclusiveCpus } from "./exclusiveCpus.ts"
import { podShareFault } from "./podCpus.ts"
import { assignable, type StaticPolicy } from "./StaticPolicy.ts"

/**
 * Returns the sets of NUMA nodes that can provide this many CPUs, smallest first. Each contains the nodes of all
 * reusable CPUs. The preferred ones have the smallest size for which the CPUs of the machine, free or not, suffice.
 * Upstream: policy_static.go generateCPUTopologyHints.
 */
export const cpuHintsFor = (
  topology: CpuTopology,
  alignBySocket: boolean,
  available: CpuSet,
  reusable: CpuSet,
  wanted: number
): ReadonlyArray<TopologyHint> => {
  const countOfAll = nodeCounter(topology, topology.all)
  const countOfFree = nodeCounter(topology, available)
  const countOfReusable = nodeCounter(topology, reusable)
  const reusableNodes = maskOf(topology.numaNodeIds.filter((node) => countOfReusable([node]) > 0))
  let smallest = topology.numaNodeIds.length
  const fitting: Array<NumaMask> = []
  for (const mask of masksOver(topology.numaNodeIds)) {
    const nodes = maskIds(mask)
    if (countOfAll(nodes) >= wanted) smallest = Math.min(smallest, nodes.length)
    if (maskWithin(reusableNodes, mask) && countOfFree(nodes) + reusable.size >= wanted) fitting.push(mask)
  }
  return fitting.map((mask) => ({
    mask,
    preferred: maskCount(mask) === smallest || (alignBySocket && touchesFewestSockets(topology, mask, smallest))
  }))
}

/** Returns a function that counts how many of the CPUs are on some nodes. */
const nodeCounter = (topology: CpuTopology, cpus: CpuSet): ((nodes: ReadonlyArray<number>) => number) => {
  const counts = new Map(
    topology.numaNodeIds.map((id) => [id, cpus.intersection(cpusOfUnit(topology, "numaNode", id)).size])
  )
  return (nodes) => nodes.reduce((sum, node) => sum + (counts.get(node) ?? 0), 0)
}

const touchesFewestSockets = (topology: CpuTopology, mask: NumaMask, smallest: number): boolean => {
  const nodesPerSocket = Math.floor(topology.numNumaNodes / topology.numSockets)
  const cpus = maskIds(mask).flatMap((node) => cpusOfUnit(topology, "numaNode", node).ids)
  const sockets = new Set(cpus.map((id) => topology.cpus.get(id)?.socket))
  return sockets.size === Math.ceil(smallest / nodesPerSocket)
}

/** The inputs of hints besides the pod. */
export interface CpuHintContext {
  readonly policy: StaticPolicy
  readonly state: CpuState
  /** CPUs that the pod's earlier init containers leave to it. */
  readonly reusable: CpuSet
  readonly gates: PodLevelGates
}

const unsatisfiable: HintLists = { cpu: [] }

const hintsForNew = ({ policy, state }: CpuHintContext, reusable: CpuSet, wanted: number): HintLists => {
  const available = assignable(policy, state.shared)
  return { cpu: cpuHintsFor(policy.topology, policy.options.alignBySocket, available, reusable, wanted) }
}

/** Returns hints for CPUs that are assigned already. */
const hintsForOwned = ({ policy }: CpuHintContext, owned: CpuSet, wanted: number): HintLists => ({
  cpu: cpuHintsFor(policy.topology, policy.options.alignBySocket, owned, CpuSet.empty, wanted)
})

/**
 * Returns a container's hints, or null (no preference) if it gets no exclusive CPUs. Upstream: policy_static.go
 * GetTopologyHints.
 */
export const containerCpuHints = (context: CpuHintContext, pod: Pod, container: Container): HintLists | null => {
  const wanted = exclusiveCpus(pod, container, context.gates)
  if (wanted === 0 || isPodLevelUnmanaged(pod, context.gates)) return null
  const owned = cpusOwnedBy(context.state, pod.metadata.uid ?? "", container.name)
  if (owned === undefined) return hintsForNew(context, context.reusable, wanted)
  return owned.size === wanted ? hintsForOwned(context, owned, wanted) : unsatisfiable
}

const wholePodHints = (context: CpuHintContext, pod: Pod, wanted: number): HintLists => {
  if (podShareFault(pod, context.gates) !== undefined) return unsatisfiable
  const owned = context.state.pods.get(pod.metadata.uid ?? "")
  if (owned === undefined) return hintsForNew(context, context.reusable, wanted)
  return owned.size === wanted ? hintsForOwned(context, owned, wanted) : unsatisfiable
}

/**
 * Returns hints for all containers of a pod together, or null (no preference) if they get no exclusive CPUs. Upstream:
 * policy_static.go GetPodTopologyHints.
 */
export const podCpuHints = (context: CpuHintContext, pod: Pod): HintLists | null => {
  const { gates, reusable, state } = context
  const wanted = podExclusiveCpus(pod, gates)
  if (wanted === 0 || isPodLevelUnmanaged(pod, gates)) return null
  if (isManagedAtPodLevel(pod, gates)) return wholePodHints(context, pod, wanted)
  const owned: Array<CpuSet> = []
  for (const container of containersOf(pod)) {
    const cpus = cpusOwnedBy(state, pod.metadata.uid ?? "", container.name)
    if (cpus === undefined) continue
    if (cpus.size !== exclusiveCpus(pod, container, gates)) return unsatisfiable
    owned.push(cpus)
  }
  const ownedByPod = unionOf(owned)
  return ownedByPod.size === wanted
    ? hintsForOwned(context, ownedByPod, wanted)
    : hintsForNew(context, reusable.union(ownedByPod), wanted)
}
