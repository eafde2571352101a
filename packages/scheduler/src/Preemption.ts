import { matchesLabelSelector, type PodDisruptionBudget, parseTime } from "@rollcall/api"
import type { NodeInfo, PodInfo } from "./cache/CacheRecords.ts"
import type { SchedulingCache } from "./cache/SchedulingCache.ts"
import { unavailable } from "./FailureMessage.ts"
import { type Filtered, rejectionOn } from "./Filtering.ts"
import type { Nominations } from "./Nominations.ts"
import type { FilterPlugin, Rejection } from "./Plugin.ts"

/** The result of preemption: a node and its victims, or why there is none. */
export type PreemptionResult =
  | { readonly _tag: "Nominated"; readonly node: string; readonly victims: ReadonlyArray<PodInfo> }
  /** A pod that may not preempt, or not now, keeps its nomination. */
  | { readonly _tag: "NotNominated"; readonly message: string; readonly keepsNomination: boolean }

interface Candidate {
  readonly node: NodeInfo
  /** From most to least important. */
  readonly victims: ReadonlyArray<PodInfo>
  readonly violations: number
}

export interface PreemptionContext {
  readonly cache: SchedulingCache
  readonly filters: ReadonlyArray<FilterPlugin>
  readonly nominations: Nominations
  readonly budgets: ReadonlyArray<PodDisruptionBudget>
  readonly random: () => number
  readonly limits?: PreemptionLimits
}

/** How many nodes are tried before the best of them is taken: DefaultPreemptionArgs. */
export interface PreemptionLimits {
  readonly minCandidateNodesPercentage: number
  readonly minCandidateNodesAbsolute: number
}

/** The limits of DefaultPreemptionArgs by default: a dry run looks at 10 % of the nodes, and at 100 at least. */
export const defaultPreemptionLimits: PreemptionLimits = {
  minCandidateNodesPercentage: 10,
  minCandidateNodesAbsolute: 100
}

const notHelpful = "Preemption is not helpful for scheduling"
const noVictims = "No preemption victims found for incoming pod"
/** The message of the plugin for resource claims about every pod, which runs before preemption. */
export const noClaims = "no new claims to deallocate"
const prefix = `${noClaims}, preemption: `

const startOf = ({ pod }: PodInfo): number =>
  pod.status?.startTime === undefined ? Number.POSITIVE_INFINITY : parseTime(pod.status.startTime)

/** Higher priority first, then the earlier start. Upstream: pkg/scheduler/util/utils.go MoreImportantPod. */
const byImportance = (left: PodInfo, right: PodInfo): number => {
  if (left.priority !== right.priority) return right.priority - left.priority
  const [a, b] = [startOf(left), startOf(right)]
  return a === b ? 0 : a < b ? -1 : 1
}

/**
 * Whether a budget protects a pod. As upstream, one without a selector, or with an empty selector, protects nothing
 * here.
 */
const guards = ({ metadata, spec }: PodDisruptionBudget, { labels, namespace }: PodInfo): boolean => {
  if ((metadata.namespace ?? "default") !== namespace) return false
  const { matchExpressions = [], matchLabels = {} } = spec?.selector ?? {}
  if (matchExpressions.length === 0 && Object.keys(matchLabels).length === 0) return false
  return matchesLabelSelector(spec?.selector, labels)
}

/**
 * Pods whose preemption would violate a budget. Each pod uses up an allowed disruption of its budgets in turn, until
 * one has none left: the budgets after that one are not charged. Upstream: default_preemption.go
 * filterPodsWithPDBViolation.
 */
const violators = (pods: ReadonlyArray<PodInfo>, budgets: ReadonlyArray<PodDisruptionBudget>): ReadonlySet<PodInfo> => {
  const allowed = new Map(budgets.map((budget) => [budget, budget.status?.disruptionsAllowed ?? 0]))
  const violating = new Set<PodInfo>()
  for (const info of pods) {
    if (Object.keys(info.labels).length === 0) continue
    for (const budget of budgets) {
      if (!guards(budget, info) || budget.status?.disruptedPods?.[info.name] !== undefined) continue
      const left = (allowed.get(budget) ?? 0) - 1
      allowed.set(budget, left)
      if (left >= 0) continue
      violating.add(info)
      break
    }
  }
  return violating
}

/** Removes all pods of lower priority and reprieves as many as possible. */
const victimsOn = (pod: PodInfo, node: NodeInfo, context: PreemptionContext): Candidate | Rejection => {
  const { budgets, cache, filters, nominations } = context
  const lesser = [...node.pods].filter(({ priority }) => priority < pod.priority)
  const rejectionNow = () => rejectionOn(pod, node, cache, filters, nominations)
  if (lesser.length === 0)
    return { code: "UnschedulableAndUnresolvable", plugin: "DefaultPreemption", reasons: [noVictims] }
  for (const { key } of lesser) cache.remove(key)
  const rejection = rejectionNow()
  const victims: Array<PodInfo> = []
  let violations = 0
  if (rejection === undefined) {
    const sorted = lesser.toSorted(byImportance)
    const violating = violators(sorted, budgets)
    for (const protectedFirst of [true, false]) {
      for (const info of sorted) {
        if (violating.has(info) !== protectedFirst) continue
        cache.place(info, node.name)
        if (rejectionNow() === undefined) continue
        cache.remove(info.key)
        victims.push(info)
        if (protectedFirst) violations++
      }
    }
  }
  for (const info of rejection === undefined ? victims : lesser) cache.place(info, node.name)
  return rejection ?? { node, victims: victims.sort(byImportance), violations }
}

/** Criteria in order; the lowest value wins. */
const costs: ReadonlyArray<(candidate: Candidate) => number> = [
  ({ violations }) => violations,
  ({ victims }) => victims[0]?.priority ?? Number.NEGATIVE_INFINITY,
  ({ victims }) => victims.reduce((sum, { priority }) => sum + priority + 2 ** 31, 0),
  ({ victims }) => victims.length,
  ({ victims }) => {
    const highest = victims[0]?.priority
    return -Math.min(...victims.filter(({ priority }) => priority === highest).map(startOf))
  }
]

const cheapest = (candidates: ReadonlyArray<Candidate>): Candidate | undefined => {
  let left = candidates
  for (const cost of costs) {
    if (left.length <= 1) break
    const prices = left.map(cost)
    const least = prices.reduce((low, price) => Math.min(low, price), Number.POSITIVE_INFINITY)
    left = left.filter((_, index) => prices[index] === least)
  }
  return left[0]
}

const ineligible = (
  pod: PodInfo,
  filtered: Filtered,
  { cache, nominations }: PreemptionContext
): string | undefined => {
  if (pod.pod.spec.preemptionPolicy === "Never") return "not eligible due to preemptionPolicy=Never."
  const nominated = cache.node(nominations.of(pod.key) ?? pod.pod.status?.nominatedNodeName ?? "")
  if (nominated === undefined) return undefined
  const rejection = filtered.preFilter ?? filtered.rejections[filtered.rejected.indexOf(nominated)]
  // Not checked: the node is not among the only feasible ones.
  if (rejection?.code !== "Unschedulable") return undefined
  for (const { pod: other, priority, terminating } of nominated.pods) {
    const isVictim = other.status?.conditions?.some(
      ({ reason, status, type }) =>
        type === "DisruptionTarget" && status === "True" && reason === "PreemptionByScheduler"
    )
    if (terminating && priority < pod.priority && isVictim === true) {
      return "not eligible due to a terminating pod on the nominated node."
    }
  }
  return undefined
}

/** The nodes where preemption could help: all that were rejected as resolvable. */
const nodesToTry = ({ preFilter, rejected, rejections }: Filtered, cache: SchedulingCache): ReadonlyArray<NodeInfo> => {
  if (preFilter !== undefined) return preFilter.code === "Unschedulable" ? cache.nodes() : []
  return rejected.filter((_, index) => rejections[index]?.code === "Unschedulable")
}

/**
 * Tries nodes from a random one on, until enough candidates are found and at least one of them violates no budget.
 * Upstream: preemption.go DryRunPreemption.
 */
const findCandidates = (
  pod: PodInfo,
  nodes: ReadonlyArray<NodeInfo>,
  context: PreemptionContext,
  failed: (reason: string) => void
): ReadonlyArray<Candidate> => {
  const { minCandidateNodesAbsolute, minCandidateNodesPercentage } = context.limits ?? defaultPreemptionLimits
  const share = Math.floor((nodes.length * minCandidateNodesPercentage) / 100)
  const wanted = Math.min(nodes.length, Math.max(share, minCandidateNodesAbsolute))
  const offset = Math.floor(context.random() * nodes.length)
  const harmless: Array<Candidate> = []
  const violating: Array<Candidate> = []
  for (let step = 0; step < nodes.length; step++) {
    if (harmless.length > 0 && harmless.length + violating.length >= wanted) break
    const node = nodes[(offset + step) % nodes.length]
    if (node === undefined) continue
    const outcome = victimsOn(pod, node, context)
    if (!("victims" in outcome)) for (const reason of outcome.reasons) failed(reason)
    else if (outcome.violations === 0) harmless.push(outcome)
    else if (violating.length < wanted) violating.push(outcome)
  }
  return [...harmless, ...violating]
}

/**
 * Finds a node where the pod would fit if pods of lower priority were deleted. The cache is unchanged afterwards.
 * Upstream: pkg/scheduler/framework/preemption, pkg/scheduler/framework/plugins/defaultpreemption.
 */
export const preempt = (pod: PodInfo, filtered: Filtered, context: PreemptionContext): PreemptionResult => {
  const reason = ineligible(pod, filtered, context)
  if (reason !== undefined) return { _tag: "NotNominated", message: prefix + reason, keepsNomination: true }
  const counts = new Map<string, number>()
  const count = (text: string, by = 1) => counts.set(text, (counts.get(text) ?? 0) + by)
  const nodes = nodesToTry(filtered, context.cache)
  const unhelped = filtered.total - nodes.length
  if (unhelped > 0) count(notHelpful, unhelped)
  if (!context.cache.hasPriorityBelow(pod.priority)) {
    if (nodes.length > 0) count(noVictims, nodes.length)
  } else {
    const best = cheapest(findCandidates(pod, nodes, context, count))
    if (best !== undefined) return { _tag: "Nominated", node: best.node.name, victims: best.victims }
  }
  return { _tag: "NotNominated", message: prefix + unavailable(filtered.total, counts), keepsNomination: false }
}
