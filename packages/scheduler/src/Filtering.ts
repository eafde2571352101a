import type { NodeInfo, PodInfo } from "./cache/CacheRecords.ts"
import type { SchedulingCache } from "./cache/SchedulingCache.ts"
import type { Nominations } from "./Nominations.ts"
import type { FilterPlugin, NodeCheck, Rejection } from "./Plugin.ts"

/** The filters of a profile, ready for one pod. */
export interface PreparedFilters {
  readonly check: NodeCheck
  /** The only nodes that can do, and which filters said so. */
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

/** The pod as a whole is rejected, before any node is looked at. */
interface RejectedPod {
  readonly rejection: Rejection
  /** The filters that left no node between them. */
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
 * Asks each filter about the pod. One that preemption cannot help against ends the round; of others the last is told of, when
 * all have been asked. Upstream: pkg/scheduler/framework/runtime/framework.go RunPreFilterPlugins.
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

/** Why the pod found no node, or which nodes it found before it stopped looking. */
export interface Filtered {
  readonly feasible: ReadonlyArray<NodeInfo>
  /** Nodes looked at that will not do, and why: two lists of one length. */
  readonly rejected: ReadonlyArray<NodeInfo>
  readonly rejections: ReadonlyArray<Rejection>
  /** Nodes in the cluster. */
  readonly total: number
  /** A filter that rejected the pod before any node was looked at. */
  readonly preFilter: Rejection | undefined
  /** The filters that left all but some nodes out. */
  readonly pinnedBy: ReadonlyArray<string>
}

export interface FilterOptions {
  /** Position of the node to begin with. */
  readonly start: number
  /** Feasible nodes after which it stops, given how many can do at all. */
  readonly wanted: (candidates: number) => number
  readonly nominations?: Nominations
}

/**
 * Whether one node will do, both as it is and with the pods of the same or higher priority that were promised room there.
 */
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
  const promised = promisedOn(node, pod, nominations)
  if (promised.length === 0) return now()
  for (const info of promised) cache.place(info, node.name)
  const rejection = now()
  for (const info of promised) cache.remove(info.key)
  return rejection ?? now()
}

const promisedOn = (
  { name }: NodeInfo,
  { key, priority }: PodInfo,
  nominations: Nominations | undefined
): ReadonlyArray<PodInfo> =>
  nominations?.on(name).filter((other) => other.key !== key && other.priority >= priority) ?? []

/** Finds nodes for a pod. Upstream: pkg/scheduler/schedule_one.go findNodesThatFitPod. */
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
          promisedOn(node, pod, nominations).length === 0
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
