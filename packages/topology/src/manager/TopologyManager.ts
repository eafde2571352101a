import type { Pod } from "@rollcall/api"
import * as Result from "effect/Result"
import type { AffinityStore, HintProvider, TopologyHint } from "../hints.ts"
import type { NumaNode } from "../MachineTopology.ts"
import { maskOf } from "../masks.ts"
import { makeResourceMetrics, type ResourceMetrics } from "../metrics.ts"
import type { PodLevelGates } from "../podResources.ts"
import { makeAffinityMap } from "./AffinityMap.ts"
import { closest, type NumaDistances, narrowest } from "./closest.ts"
import { isTopologyPolicyName, type Merge, mergeOf, type TopologyPolicyName } from "./policies.ts"
import { parseTopologyPolicyOptions } from "./policyOptions.ts"
import type { PodRefusal } from "./refusal.ts"
import { admitByScope, isTopologyScopeName, type TopologyScopeName } from "./scopes.ts"

export interface TopologyManagerOptions {
  readonly policy: string
  readonly scope: string
  readonly policyOptions: Readonly<Record<string, string>>
  readonly numaNodes: ReadonlyArray<Pick<NumaNode, "id" | "distances">>
  readonly gates: PodLevelGates
  readonly metrics?: ResourceMetrics
  /** Milliseconds, to measure the duration of an admission. */
  readonly now?: () => number
}

/** Coordinates the hint providers of a node to agree on NUMA nodes. Upstream: pkg/kubelet/cm/topologymanager. */
export interface TopologyManager extends AffinityStore {
  readonly policy: TopologyPolicyName
  readonly scope: TopologyScopeName
  /** Requests hints from the providers in order, then lets them allocate; returns why the pod is refused. */
  readonly admit: (pod: Pod, providers: ReadonlyArray<HintProvider>) => PodRefusal | undefined
  /** The merged hints of a pod's containers. */
  readonly affinityOf: (podUid: string) => Readonly<Record<string, TopologyHint>>
  /** Keeps the hints of these pods only. */
  readonly retainOnly: (podUids: ReadonlySet<string>) => void
}

interface Settled {
  readonly policy: TopologyPolicyName
  readonly scope: TopologyScopeName
  readonly merge: Merge
}

const distancesOf = (nodes: TopologyManagerOptions["numaNodes"]): NumaDistances | undefined => {
  const distances = new Map<number, ReadonlyArray<number>>()
  for (const node of nodes) {
    if (node.distances === undefined) return undefined
    distances.set(node.id, node.distances)
  }
  return distances
}

/** The checks at the kubelet's start, in its order; policy none skips them all. */
const settle = ({
  numaNodes,
  policy,
  policyOptions,
  scope
}: TopologyManagerOptions): Result.Result<Settled, string> => {
  const machine = maskOf(numaNodes.map(({ id }) => id))
  if (policy === "none") return Result.succeed({ policy, scope: "none", merge: mergeOf(policy, machine, narrowest) })
  const options = parseTopologyPolicyOptions(policyOptions)
  if (Result.isFailure(options)) return Result.fail(options.failure)
  const { maxAllowableNumaNodes, preferClosestNumaNodes } = options.success
  const distances: NumaDistances | undefined = preferClosestNumaNodes ? distancesOf(numaNodes) : new Map()
  if (distances === undefined) {
    return Result.fail("cannot discover NUMA topology: error getting NUMA distances from cadvisor")
  }
  if (numaNodes.length > maxAllowableNumaNodes) {
    return Result.fail(`unsupported on machines with more than ${maxAllowableNumaNodes} NUMA Nodes`)
  }
  if (!isTopologyPolicyName(policy)) return Result.fail(`unknown policy: ${JSON.stringify(policy)}`)
  if (!isTopologyScopeName(scope)) return Result.fail(`unknown scope: ${JSON.stringify(scope)}`)
  const fitter = preferClosestNumaNodes ? closest(distances) : narrowest
  return Result.succeed({ policy, scope, merge: mergeOf(policy, machine, fitter) })
}

/** Fails with the error that stops the kubelet. Upstream: topology_manager.go NewManager. */
export const makeTopologyManager = (options: TopologyManagerOptions): Result.Result<TopologyManager, string> => {
  const { gates, metrics = makeResourceMetrics(), now } = options
  return Result.map(settle(options), ({ merge, policy, scope }) => {
    const affinity = makeAffinityMap()
    const guaranteesAlignment = policy === "single-numa-node"
    return {
      policy,
      scope,
      getAffinity: affinity.getAffinity,
      affinityOf: affinity.of,
      retainOnly: affinity.retainOnly,
      admit: (pod, providers) => {
        metrics.add("kubelet_topology_manager_admission_requests_total")
        const start = now?.() ?? 0
        const context = { providers, merge, guaranteesAlignment, gates, metrics, store: affinity.set }
        const refusal = admitByScope[scope](context, pod)
        metrics.observeAdmission(Math.trunc((now?.() ?? 0) - start))
        return refusal
      }
    }
  })
}
