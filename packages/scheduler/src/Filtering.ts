import type { NodeInfo, PodInfo } from "./cache/CacheRecords.ts"
import type { SchedulingCache } from "./cache/SchedulingCache.ts"
import type { Nominations } from "./Nominations.ts"
import type { FilterPlugin, NodeCheck, Rejection } from "./Plugin.ts"

/** The filters of a profile, prepared for one pod. */
export interface PreparedFilters {
  readonly check: NodeCheck
  /** The only nodes that are feasible, and the filters that named them; undefined: all. */
  readonly nodeNames: ReadonlySet<string> | undefined
  readonly pinnedBy: ReadonlyArray<string>
}

const inOrder = (checks: ReadonlyArray<NodeCheck>): NodeCheck => {
  const [first, second, third, ...others] = checks
  if (first === undefined) return () => undefined
  if (second === undefined) return first
  if (third === undefined) return (node) => first(node) ?? second(node)
  if (others.length === 0) return (node) => first(node) ?? second(node) ?? third(node)
  const rest = inOrder(others)
  return (node) => first(node) ?? second(node) ?? third(node) ?? rest(node)
}

/** The pod was rejected before any node was checked. */
interface RejectedPod {
  readonly rejection: Rejection
  /** The filters whose node names have an empty intersection. */
  readonly pinnedBy: ReadonlyArray<string>
}

const noNodeBetween = (pinnedBy: ReadonlyArray<string>): Rejection => ({
  code: "UnschedulableAndUnresolvable",
  plugin: pinnedBy[0] ?? "",
  reasons: [
    pinnedBy.length === 1
      ? `node(s) didn't satisfy plugin ${pinnedBy[0]}`
      : `node(s) didn't satisfy plugin(s) [${pinnedBy.join(" ")}] simultaneously`
  ]
})

const intersection = (left: ReadonlySet<string>, right: ReadonlySet<string>): ReadonlySet<string> =>
  new Set([...left].filter((name) => right.has(name)))

/**
 * Prepares each filter for the pod. A rejection that preemption cannot resolve ends the loop; of the others the last
 * is returned, after all filters have run. Upstream: pkg/scheduler/framework/runtime/framework.go RunPreFilterPlugins.
 */
export const prepareFilters = (
  pod: PodInfo,
  cache: SchedulingCache,
  filters: ReadonlyArray<FilterPlugin>
): PreparedFilters | RejectedPod => {
  const checks: Array<NodeCheck> = []
  const pinnedBy: Array<string> = []
  let nodeNames: ReadonlySet<string> | undefined
  let rejection: Rejection | undefined
  for (const filter of filters) {
    const prepared = filter.prepare(pod, cache)
    if (prepared._tag === "Skip") continue
    if (prepared._tag === "Reject") {
      rejection = prepared.rejection
      if (rejection.code === "UnschedulableAndUnresolvable") return { rejection, pinnedBy: [] }
      continue
    }
    checks.push(prepared.check)
    if (prepared.nodeNames === undefined) continue
    pinnedBy.push(filter.name)
    nodeNames = nodeNames === undefined ? prepared.nodeNames : intersection(nodeNames, prepared.nodeNames)
    if (nodeNames.size === 0) {
      pinnedBy.sort()
      return { rejection: noNodeBetween(pinnedBy), pinnedBy }
    }
  }
  pinnedBy.sort()
  return rejection === undefined ? { check: inOrder(checks), nodeNames, pinnedBy } : { rejection, pinnedBy }
}

/** The nodes found feasible and those rejected, up to where the search stopped. */
export interface Filtered {
  readonly feasible: ReadonlyArray<NodeInfo>
  /** Rejected nodes and their reasons: two lists of the same length. */
  readonly rejected: ReadonlyArray<NodeInfo>
  readonly rejections: ReadonlyArray<Rejection>
  /** Number of nodes in the cluster. */
  readonly total: number
  /** The rejection before any node was checked. */
  readonly preFilter: Rejection | undefined
  /** The filters that restricted the nodes by name. */
  readonly pinnedBy: ReadonlyArray<string>
}

export interface FilterOptions {
  /** The position of the first node to check. */
  readonly start: number
  /** The number of feasible nodes after which the search stops, given the number of candidates. */
  readonly wanted: (candidates: number) => number
  readonly nominations?: Nominations
}

/** Whether one node is feasible, both as it is and with the nominated pods of the same or higher priority. */
export const rejectionOn = (
  pod: PodInfo,
  node: NodeInfo,
  cache: SchedulingCache,
  filters: ReadonlyArray<FilterPlugin>,
  nominations: Nominations | undefined
): Rejection | undefined => {
  const now = () => {
    const prepared = prepareFilters(pod, cache, filters)
    return "rejection" in prepared ? prepared.rejection : prepared.check(node)
  }
  const nominated = nominatedOn(node, pod, nominations)
  if (nominated.length === 0) return now()
  for (const info of nominated) cache.place(info, node.name)
  const rejection = now()
  for (const info of nominated) cache.remove(info.key)
  return rejection ?? now()
}

const nominatedOn = (
  { name }: NodeInfo,
  { key, priority }: PodInfo,
  nominations: Nominations | undefined
): ReadonlyArray<PodInfo> =>
  nominations?.on(name).filter((other) => other.key !== key && other.priority >= priority) ?? []

/** Finds feasible nodes for a pod. Upstream: pkg/scheduler/schedule_one.go findNodesThatFitPod. */
export const filterNodes = (
  pod: PodInfo,
  cache: SchedulingCache,
  filters: ReadonlyArray<FilterPlugin>,
  { nominations, start, wanted }: FilterOptions
): Filtered => {
  const all = cache.nodes()
  const total = all.length
  const feasible: Array<NodeInfo> = []
  const rejected: Array<NodeInfo> = []
  const rejections: Array<Rejection> = []
  const prepared = prepareFilters(pod, cache, filters)
  if ("rejection" in prepared) {
    return { feasible, rejected, rejections, total, preFilter: prepared.rejection, pinnedBy: prepared.pinnedBy }
  }
  const { nodeNames, pinnedBy } = prepared
  const check: NodeCheck =
    nominations === undefined || nominations.isEmpty
      ? prepared.check
      : (node) =>
          nominatedOn(node, pod, nominations).length === 0
            ? prepared.check(node)
            : rejectionOn(pod, node, cache, filters, nominations)
  const nodes = nodeNames === undefined ? all : [...nodeNames].flatMap((name) => cache.node(name) ?? [])
  const enough = wanted(nodes.length)
  const offset = nodes.length === 0 ? 0 : start % nodes.length
  for (let step = 0; step < nodes.length && feasible.length < enough; step++) {
    const at = offset + step
    const node = nodes[at < nodes.length ? at : at - nodes.length]
    if (node === undefined) continue
    const rejection = check(node)
    if (rejection === undefined) {
      feasible.push(node)
      continue
    }
    rejected.push(node)
    rejections.push(rejection)
  }
  return { feasible, rejected, rejections, total, preFilter: undefined, pinnedBy }
}
