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
 * The sets of NUMA nodes that can provide this many CPUs, smallest first. Preferred are those of the smallest size
 * that the whole machine, not only its free CPUs, allows. All reusable CPUs must be inside. Upstream: policy_static.go
 * generateCPUTopologyHints.
 */
export const cpuHintsFor = (
  topology: CpuTopology,
  alignBySocket: boolean,
  available: CpuSet,
  reusable: CpuSet,
  wanted: number
): ReadonlyArray<TopologyHint> => {
  const inside = nodeCounter(topology, topology.all)
  const free = nodeCounter(topology, available)
  const held = nodeCounter(topology, reusable)
  const reused = maskOf(topology.numaNodeIds.filter((node) => held([node]) > 0))
  let smallest = topology.numaNodeIds.length
  const fitting: Array<NumaMask> = []
  for (const mask of masksOver(topology.numaNodeIds)) {
    const nodes = maskIds(mask)
    if (inside(nodes) >= wanted) smallest = Math.min(smallest, nodes.length)
    if (maskWithin(reused, mask) && free(nodes) + reusable.size >= wanted) fitting.push(mask)
  }
  return fitting.map((mask) => ({
    mask,
    preferred: maskCount(mask) === smallest || (alignBySocket && touchesFewestSockets(topology, mask, smallest))
  }))
}

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

const fresh = ({ policy, state }: CpuHintContext, reusable: CpuSet, wanted: number): HintLists => {
  const available = assignable(policy, state.shared)
  return { cpu: cpuHintsFor(policy.topology, policy.options.alignBySocket, available, reusable, wanted) }
}

/** Hints for the already assigned CPUs. */
const regenerated = ({ policy }: CpuHintContext, owned: CpuSet, wanted: number): HintLists => ({
  cpu: cpuHintsFor(policy.topology, policy.options.alignBySocket, owned, CpuSet.empty, wanted)
})

/** null: no preference, the container needs no exclusive CPUs. Upstream: policy_static.go GetTopologyHints. */
export const containerCpuHints = (context: CpuHintContext, pod: Pod, container: Container): HintLists | null => {
  const wanted = exclusiveCpus(pod, container, context.gates)
  if (wanted === 0 || isPodLevelUnmanaged(pod, context.gates)) return null
  const owned = cpusOwnedBy(context.state, pod.metadata.uid ?? "", container.name)
  if (owned === undefined) return fresh(context, context.reusable, wanted)
  return owned.size === wanted ? regenerated(context, owned, wanted) : unsatisfiable
}

const wholePodHints = (context: CpuHintContext, pod: Pod, wanted: number): HintLists => {
  if (podShareFault(pod, context.gates) !== undefined) return unsatisfiable
  const owned = context.state.pods.get(pod.metadata.uid ?? "")
  if (owned === undefined) return fresh(context, context.reusable, wanted)
  return owned.size === wanted ? regenerated(context, owned, wanted) : unsatisfiable
}

/** Hints for all containers of a pod together. Upstream: policy_static.go GetPodTopologyHints. */
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
  const together = unionOf(owned)
  return together.size === wanted
    ? regenerated(context, together, wanted)
    : fresh(context, reusable.union(together), wanted)
}
