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

/** The configuration and the dependencies of a topology manager. */
export interface TopologyManagerOptions {
  readonly policy: string
  readonly scope: string
  readonly policyOptions: Readonly<Record<string, string>>
  readonly numaNodes: ReadonlyArray<Pick<NumaNode, "id" | "distances">>
  readonly gates: PodLevelGates
  readonly metrics?: ResourceMetrics
  /** Returns a time in milliseconds, to measure the duration of admissions; absent if it is not measured. */
  readonly now?: () => number
}

/** Coordinates the hint providers of a node to agree on NUMA nodes. Upstream: pkg/kubelet/cm/topologymanager. */
export interface TopologyManager extends AffinityStore {
  readonly policy: TopologyPolicyName
  readonly scope: TopologyScopeName
  /** Requests hints from the providers in order, and lets them allocate. Returns why the pod is refused, if it is. */
  readonly admit: (pod: Pod, providers: ReadonlyArray<HintProvider>) => PodRefusal | undefined
  /** Returns the merged hints of a pod's containers, by name. */
  readonly affinityOf: (podUid: string) => Readonly<Record<string, TopologyHint>>
  /** Drops the hints of all other pods. */
  readonly retainOnly: (podUids: ReadonlySet<string>) => void
}

interface EffectivePolicy {
  readonly policy: TopologyPolicyName
  readonly scope: TopologyScopeName
  readonly merge: Merge
}

/** Returns the distances by node, or undefined if the machine does not report those of a node. */
const distancesOf = (nodes: TopologyManagerOptions["numaNodes"]): NumaDistances | undefined => {
  const distances = new Map<number, ReadonlyArray<number>>()
  for (const node of nodes) {
    if (node.distances === undefined) return undefined
    distances.set(node.id, node.distances)
  }
  return distances
}

/** Checks the configuration as a kubelet does at its start, in its order. Policy none skips all checks. */
const effectivePolicyOf = ({
  numaNodes,
  policy,
  policyOptions,
  scope
}: TopologyManagerOptions): Result.Result<EffectivePolicy, string> => {
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

/** Makes the manager. Fails with the error that stops the kubelet. Upstream: topology_manager.go NewManager. */
export const makeTopologyManager = (options: TopologyManagerOptions): Result.Result<TopologyManager, string> => {
  const { gates, metrics = makeResourceMetrics(), now } = options
  return Result.map(effectivePolicyOf(options), ({ merge, policy, scope }) => {
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
