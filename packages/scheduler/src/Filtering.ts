import type { NodeInfo, PodInfo } from "./cache/CacheRecords.ts"
import type { SchedulingCache } from "./cache/SchedulingCache.ts"
import { type Filtered, Search, type SearchOrder } from "./Filtered.ts"
import type { KnownChecks } from "./KnownChecks.ts"
import type { Nominations } from "./Nominations.ts"
import type { FilterPlugin, NodeCheck, Rejection } from "./Plugin.ts"

/** The filters of a profile, prepared for one pod. */
export interface PreparedFilters {
  readonly check: NodeCheck
  /** Whether all filters that check nodes are `local`. */
  readonly isLocal: boolean
  /** Only nodes with these names can be feasible; undefined if filters restrict none by name. */
  readonly nodeNames: ReadonlySet<string> | undefined
  /** The filters that restrict the nodes by name, sorted. */
  readonly restrictedBy: ReadonlyArray<string>
}

/** A check that returns the first rejection. Written out for few checks: it runs once for each pod and node. */
const firstRejection = (checks: ReadonlyArray<NodeCheck>): NodeCheck => {
  const [first, second, third, ...others] = checks
  if (first === undefined) return () => undefined
  if (second === undefined) return first
  if (third === undefined) return (node) => first(node) ?? second(node)
  if (others.length === 0) return (node) => first(node) ?? second(node) ?? third(node)
  const rest = firstRejection(others)
  return (node) => first(node) ?? second(node) ?? third(node) ?? rest(node)
}

/** The result for a pod that is rejected before any node is checked. */
interface RejectedPod {
  readonly rejection: Rejection
  /** The filters whose node names have an empty intersection. */
  readonly restrictedBy: ReadonlyArray<string>
}

const noCommonNode = (restrictedBy: ReadonlyArray<string>): Rejection => ({
  code: "UnschedulableAndUnresolvable",
  plugin: restrictedBy[0] ?? "",
  reasons: [
    restrictedBy.length === 1
      ? `node(s) didn't satisfy plugin ${restrictedBy[0]}`
      : `node(s) didn't satisfy plugin(s) [${restrictedBy.join(" ")}] simultaneously`
  ]
})

const intersection = (left: ReadonlySet<string>, right: ReadonlySet<string>): ReadonlySet<string> =>
  new Set([...left].filter((name) => right.has(name)))

/**
 * Prepares each filter for the pod. A rejection of the pod that preemption cannot resolve is returned at once. If there
 * are only others, the last of them is returned, after all filters have run. Upstream: pkg/scheduler/framework/runtime/framework.go RunPreFilterPlugins.
 */
export const prepareFilters = (
  pod: PodInfo,
  cache: SchedulingCache,
  filters: ReadonlyArray<FilterPlugin>
): PreparedFilters | RejectedPod => {
  const checks: Array<NodeCheck> = []
  const restrictedBy: Array<string> = []
  let nodeNames: ReadonlySet<string> | undefined
  let rejection: Rejection | undefined
  let isLocal = true
  for (const filter of filters) {
    const prepared = filter.prepare(pod, cache)
    if (prepared._tag === "Skip") continue
    if (prepared._tag === "Reject") {
      rejection = prepared.rejection
      if (rejection.code === "UnschedulableAndUnresolvable") return { rejection, restrictedBy: [] }
      continue
    }
    checks.push(prepared.check)
    isLocal &&= prepared.local === true
    if (prepared.nodeNames === undefined) continue
    restrictedBy.push(filter.name)
    nodeNames = nodeNames === undefined ? prepared.nodeNames : intersection(nodeNames, prepared.nodeNames)
    if (nodeNames.size === 0) {
      restrictedBy.sort()
      return { rejection: noCommonNode(restrictedBy), restrictedBy }
    }
  }
  restrictedBy.sort()
  return rejection === undefined
    ? { check: firstRejection(checks), isLocal, nodeNames, restrictedBy }
    : { rejection, restrictedBy }
}

/** How the nodes are searched. */
export interface FilterOptions {
  /** The position of the first node to check. */
  readonly start: number
  /** Returns the number of feasible nodes after which the search ends, given the number of candidates. */
  readonly nodesToFind: (candidates: number) => number
  /** Pods that are expected on nodes, after preemption there. */
  readonly nominations?: Nominations
  /** The results of earlier searches. */
  readonly known?: KnownChecks
}

/**
 * Returns why a node is not feasible; undefined if it is, both as it is and with the nominated pods of the same or higher
 * priority, which may or may not run there. Upstream: runtime/framework.go RunFilterPluginsWithNominatedPods.
 */
export const rejectionOn = (
  pod: PodInfo,
  node: NodeInfo,
  cache: SchedulingCache,
  filters: ReadonlyArray<FilterPlugin>,
  nominations: Nominations | undefined
): Rejection | undefined => {
  const check = () => {
    const prepared = prepareFilters(pod, cache, filters)
    return "rejection" in prepared ? prepared.rejection : prepared.check(node)
  }
  const nominated = nominatedOn(node, pod, nominations)
  if (nominated.length === 0) return check()
  for (const info of nominated) cache.place(info, node.name)
  const rejection = check()
  for (const info of nominated) cache.remove(info.key)
  return rejection ?? check()
}

/** The nominated pods that the pod must leave room for on a node. */
const nominatedOn = (
  { name }: NodeInfo,
  { key, priority }: PodInfo,
  nominations: Nominations | undefined
): ReadonlyArray<PodInfo> =>
  nominations?.podsOn(name).filter((other) => other.key !== key && other.priority >= priority) ?? []

const noRejections: ReadonlyMap<Rejection, number> = new Map()

/** Finds feasible nodes for a pod. Upstream: pkg/scheduler/schedule_one.go findNodesThatFitPod. */
export const filterNodes = (
  pod: PodInfo,
  cache: SchedulingCache,
  filters: ReadonlyArray<FilterPlugin>,
  { known, nodesToFind, nominations, start }: FilterOptions
): Filtered => {
  const all = cache.nodes()
  const total = all.length
  const prepared = prepareFilters(pod, cache, filters)
  if ("rejection" in prepared) {
    const { rejection: preFilter, restrictedBy } = prepared
    return {
      feasible: [],
      rejected: [],
      rejections: [],
      counts: noRejections,
      checked: 0,
      total,
      preFilter,
      restrictedBy
    }
  }
  const { isLocal, nodeNames, restrictedBy } = prepared
  const results = known !== undefined && isLocal ? known.resultsOf(pod, prepared.check, total) : undefined
  const checkAlone = results?.check ?? prepared.check
  const isNominated = nominations !== undefined && !nominations.isEmpty
  const check: NodeCheck = isNominated
    ? (node) =>
        nominatedOn(node, pod, nominations).length === 0
          ? checkAlone(node)
          : rejectionOn(pod, node, cache, filters, nominations)
    : checkAlone
  const nodes = nodeNames === undefined ? all : [...nodeNames].flatMap((name) => cache.node(name) ?? [])
  const order = { nodes, offset: nodes.length === 0 ? 0 : start % nodes.length }
  const isRemembered = results !== undefined && !isNominated
  const fails = isRemembered && nodeNames === undefined ? results.failures(cache) : undefined
  if (fails !== undefined) {
    return new Search(order, check, {
      feasible: [],
      rejections: undefined,
      counts: fails,
      checked: total,
      total,
      restrictedBy
    })
  }
  const found = search(order, nodesToFind(nodes.length), check, !isRemembered)
  const filtered = new Search(order, check, { ...found, total, restrictedBy })
  if (isRemembered && nodeNames === undefined && found.feasible.length === 0) results.failed(cache, filtered.counts)
  return filtered
}

/** Checks nodes until enough of them are feasible. */
const search = ({ nodes, offset }: SearchOrder, limit: number, check: NodeCheck, keepsRejections: boolean) => {
  // Made at its size: most searches find as many as they look for.
  const feasible: Array<NodeInfo> = new Array(Math.min(limit, nodes.length))
  let found = 0
  const rejections: Array<Rejection> | undefined = keepsRejections ? [] : undefined
  let checked = 0
  for (; checked < nodes.length && found < limit; checked++) {
    const at = offset + checked
    const node = nodes[at < nodes.length ? at : at - nodes.length] as NodeInfo
    const rejection = check(node)
    if (rejection === undefined) feasible[found++] = node
    else rejections?.push(rejection)
  }
  feasible.length = found
  return { feasible, rejections, checked }
}
