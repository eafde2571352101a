import { isPodTerminal, type LabelSelector, type Node, type Pod } from "@rollcall/api"
import { Algorithm, defaultProfile, type Rejection, SchedulingCache } from "@rollcall/scheduler"
import {
  backoffAfter,
  failureMessage,
  feasibleNodesToFind,
  filterNodes,
  rejectingPlugins,
  scoreNodes
} from "@rollcall/scheduler/rules"
import type { Adapters, Json } from "../Adapter.ts"

interface Named<Spec> {
  readonly metadata: { readonly name: string; readonly namespace?: string }
  readonly spec: Spec
}

const cacheOf = (given: Json): SchedulingCache => {
  const cache = new SchedulingCache()
  for (const node of (given.nodes ?? []) as ReadonlyArray<Node>) cache.setNode(node)
  for (const pod of (given.pods ?? []) as ReadonlyArray<Pod>) {
    if (!isPodTerminal(pod)) cache.place(cache.describe(pod), pod.spec.nodeName ?? "")
  }
  for (const { metadata, spec } of (given.services ?? []) as ReadonlyArray<
    Named<{ selector?: Record<string, string> }>
  >) {
    cache.workloads.setService(metadata.namespace ?? "default", metadata.name, spec.selector)
  }
  for (const { metadata, spec } of (given.replicaSets ?? []) as ReadonlyArray<Named<{ selector: LabelSelector }>>) {
    cache.workloads.setOwner("ReplicaSet", metadata.namespace ?? "default", metadata.name, spec.selector)
  }
  return cache
}

const wire = ({ code, plugin, reasons }: Rejection): Json => ({ code, plugin, reasons })

/** Runs all filters on all nodes, then all scores on the feasible ones. */
const schedule = ({ given }: { readonly given: Json }): Json => {
  const cache = cacheOf(given)
  const pod = cache.describe(given.pod)
  const filtered = filterNodes(pod, cache, defaultProfile.filters, {
    start: 0,
    nodesToFind: (candidates) => candidates + 1
  })
  const { feasible, restrictedBy, preFilter, rejected, rejections } = filtered
  const filter: Record<string, Json> = {}
  if (preFilter === undefined) {
    const leftOut =
      restrictedBy.length > 0 ? { byPreFilterResult: true, code: "UnschedulableAndUnresolvable" } : undefined
    for (const node of cache.nodes()) if (leftOut !== undefined) filter[node.name] = leftOut
    for (const node of feasible) filter[node.name] = { code: "Success" }
    rejected.forEach((node, index) => {
      const rejection = rejections[index]
      if (rejection !== undefined) filter[node.name] = wire(rejection)
    })
  }
  const message = feasible.length > 0 ? "" : failureMessage(filtered)
  const plugins = feasible.length > 0 ? [] : rejectingPlugins(filtered)
  return {
    filter,
    message,
    ...(plugins.length > 0 ? { unschedulablePlugins: plugins } : {}),
    ...(preFilter === undefined ? {} : { preFilter: wire(preFilter) })
  }
}

const score = (vectorCase: { readonly given: Json }): Json => {
  const cache = cacheOf(vectorCase.given)
  const pod = cache.describe(vectorCase.given.pod)
  const { feasible } = filterNodes(pod, cache, defaultProfile.filters, {
    start: 0,
    nodesToFind: (candidates) => candidates + 1
  })
  const scores: Record<string, Record<string, number>> = {}
  const totals = scoreNodes(pod, feasible, cache, defaultProfile.scores, (plugin, weighted) => {
    feasible.forEach(({ name }, index) => {
      scores[name] = { ...scores[name], [plugin]: weighted[index] ?? 0 }
    })
  })
  feasible.forEach(({ name }, index) => {
    scores[name] = { ...scores[name], total: totals[index] ?? 0 }
  })
  return { ...schedule(vectorCase), scores }
}

const preemption = ({ given }: { readonly given: Json }): Json => {
  const cache = cacheOf(given)
  const decision = new Algorithm(cache, {
    profile: defaultProfile,
    percentageOfNodesToScore: 100,
    random: () => 0,
    budgets: () => given.podDisruptionBudgets ?? []
  }).schedule(cache.describe(given.pod))
  if (decision._tag === "Bind") return decision
  return {
    message: decision.message,
    unschedulablePlugins: decision.plugins,
    nominatedNodeName: decision.nominated?.node ?? "",
    victims: decision.nominated?.victims.map(({ name }) => name) ?? []
  }
}

export const schedulingAdapters: Adapters = {
  "scheduling/filter-taints": schedule,
  "scheduling/filter-resources": schedule,
  "scheduling/filter-node-affinity": schedule,
  "scheduling/filter-ports-affinity": schedule,
  "scheduling/filter-topology-spread": schedule,
  "scheduling/score-resources": score,
  "scheduling/score-preferences": score,
  "scheduling/preemption": preemption,
  "scheduling/feasible-nodes": ({ given }) => ({
    feasibleNodesToFind: feasibleNodesToFind(given.nodes, given.percentageOfNodesToScore)
  }),
  "scheduling/backoff": ({ given }) => ({
    backoffSeconds: backoffAfter(given.unschedulableCount, given.initialBackoffSeconds, given.maxBackoffSeconds)
  })
}
