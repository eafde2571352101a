import { defaultRelease, featureGatesOf, type Pod } from "@rollcall/api"
import {
  type HintLists,
  type HintProvider,
  makeResourceMetrics,
  makeTopologyManager,
  type TopologyHint
} from "@rollcall/topology"
import {
  allocateFailure,
  betterHint,
  closest,
  isTopologyPolicyName,
  maskIds,
  maskOf,
  mergeOf,
  type NumaDistances,
  narrowest,
  parseTopologyPolicyOptions
} from "@rollcall/topology/rules"
import * as Metric from "effect/Metric"
import * as Result from "effect/Result"
import type { Adapter, Adapters, Json } from "../Adapter.ts"

const hintOf = ({ numaNodes, preferred }: Json): TopologyHint => ({
  mask: numaNodes === null ? undefined : maskOf(numaNodes),
  preferred
})

const describeHint = ({ mask, preferred }: TopologyHint): Json => ({
  numaNodes: mask === undefined ? null : maskIds(mask),
  preferred
})

const listsOf = (lists: Json): HintLists | null =>
  lists === null || lists === undefined
    ? null
    : Object.fromEntries(
        Object.entries<Json>(lists).map(([resource, list]) => [resource, list === null ? null : list.map(hintOf)])
      )

const distancesOf = (ids: ReadonlyArray<number>, lists: ReadonlyArray<ReadonlyArray<number>>): NumaDistances =>
  new Map(ids.map((id, index) => [id, lists[index] ?? []]))

const runMerge: Adapter = ({ given }) => {
  if (!isTopologyPolicyName(given.policy)) throw new Error(`no policy ${given.policy}`)
  const fitter = given.preferClosestNUMANodes ? closest(distancesOf(given.numaNodes, given.numaDistances)) : narrowest
  const { admit, hint } = mergeOf(given.policy, maskOf(given.numaNodes), fitter)(given.providers.map(listsOf))
  return { admit, hint: describeHint(hint) }
}

const closestNuma: Adapter = ({ given }) => {
  const { a, b, numaDistances } = given
  const fitter = closest(distancesOf([...numaDistances.keys()], numaDistances))
  return { closest: maskIds(fitter(maskOf(a), maskOf(b))) }
}

const compareHints: Adapter = ({ given }) => {
  const merged = ({ numaNodes, preferred }: Json) => ({ mask: maskOf(numaNodes), preferred })
  const current = given.current === null ? undefined : merged(given.current)
  const candidate = merged(given.candidate)
  const winner = betterHint(narrowest, given.bestNonPreferredAffinityCount, current, candidate)
  return { winner: winner === candidate ? "candidate" : "current" }
}

const gates = featureGatesOf(defaultRelease)

const createManager: Adapter = ({ given }) => {
  const numaNodes = given.numaNodes.map(({ distances, id }: Json) => (distances === null ? { id } : { id, distances }))
  const { policy, scope } = given
  return Result.match(makeTopologyManager({ policy, scope, policyOptions: given.options, numaNodes, gates }), {
    onFailure: (error) => ({ error }),
    onSuccess: (manager) => ({ policy: manager.policy, scope: manager.scope, error: null })
  })
}

const policyOptions: Adapter = ({ given }) =>
  Result.match(parseTopologyPolicyOptions(given.options), {
    onFailure: (error) => ({ error }),
    onSuccess: ({ maxAllowableNumaNodes, preferClosestNumaNodes }) => ({
      preferClosestNUMANodes: preferClosestNumaNodes,
      maxAllowableNUMANodes: maxAllowableNumaNodes,
      error: null
    })
  })

const ALIGNMENT_METRIC_PREFIX = "kubelet_container_aligned_compute_resources_"

const admission: Adapter = ({ given }) => {
  const allocated: Array<Json> = []
  const providerOf = ({ allocateError, name, perContainer, perPod }: Json): HintProvider => ({
    name,
    getTopologyHints: (_, container) => listsOf(perContainer[container.name]),
    getPodTopologyHints: () => listsOf(perPod),
    allocate: (_, container) => {
      const error = allocateError?.[container.name]
      if (error !== undefined) return allocateFailure(error)
      allocated.push([name, container.name])
      return undefined
    },
    removeStale: () => undefined
  })
  const named = (names: ReadonlyArray<string>) => names.map((name) => ({ name }))
  const pod: Pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "pod", namespace: "default", uid: "uid" },
    spec: { initContainers: named(given.initContainers), containers: named(given.containers) }
  }
  const metrics = makeResourceMetrics()
  const { policy, scope } = given
  const numaNodes = given.numaNodes.map((id: number) => ({ id }))
  const manager = Result.getOrThrow(
    makeTopologyManager({ policy, scope, policyOptions: {}, numaNodes, gates, metrics })
  )
  const refusal = manager.admit(pod, given.providers.map(providerOf))
  const aligned = (name: string): Json => {
    const series = Metric.snapshotUnsafe(metrics.context).find(({ id }) => id === `${ALIGNMENT_METRIC_PREFIX}${name}`)
    return series?.type === "Counter" ? { ...series.attributes, count: Number(series.state.count) } : undefined
  }
  const hints = Object.entries(manager.affinityOf("uid"))
  return {
    result: refusal === undefined ? { admit: true } : { admit: false, ...refusal },
    affinity: Object.fromEntries(hints.map(([name, hint]) => [name, describeHint(hint)])),
    allocated,
    metrics: {
      requests: metrics.value("kubelet_topology_manager_admission_requests_total"),
      errors: metrics.value("kubelet_topology_manager_admission_errors_total")
    },
    aligned: aligned("count"),
    alignedFailure: aligned("failure_count")
  }
}

export const topologyAdapters: Adapters = {
  "topology/closest-numa": closestNuma,
  "topology/compare-hints": compareHints,
  "topology/manager-creation": createManager,
  "topology/merge-best-effort": runMerge,
  "topology/merge-closest-numa": runMerge,
  "topology/merge-none": runMerge,
  "topology/merge-restricted": runMerge,
  "topology/merge-single-numa-node": runMerge,
  "topology/policy-options": policyOptions,
  "topology/scope-admission": admission
}
