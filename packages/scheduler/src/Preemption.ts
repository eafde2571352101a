import { matchesLabelSelector, type PodDisruptionBudget, parseTime } from "@rollcall/api"
import type { NodeInfo, PodInfo } from "./cache/CacheRecords.ts"
import type { SchedulingCache } from "./cache/SchedulingCache.ts"
import { unavailableMessage } from "./FailureMessage.ts"
import type { Filtered } from "./Filtered.ts"
import { rejectionOn } from "./Filtering.ts"
import type { Nominations } from "./Nominations.ts"
import type { FilterPlugin, Rejection } from "./Plugin.ts"

/** The result of preemption: a node and its victims, or why there is none. */
export type PreemptionResult =
  | { readonly _tag: "Nominated"; readonly node: string; readonly victims: ReadonlyArray<PodInfo> }
  /** `keepsNomination` is true for a pod that must not preempt, or not now: an earlier nomination stays valid. */
  | { readonly _tag: "NotNominated"; readonly message: string; readonly keepsNomination: boolean }

/** A node on which the pod would fit, and the pods that would have to be deleted there. */
interface Candidate {
  readonly node: NodeInfo
  /** From most to least important. */
  readonly victims: ReadonlyArray<PodInfo>
  /** Number of victims whose deletion violates a budget. */
  readonly violations: number
}

/** What preemption depends on besides the pod. */
export interface PreemptionContext {
  readonly cache: SchedulingCache
  readonly filters: ReadonlyArray<FilterPlugin>
  readonly nominations: Nominations
  readonly budgets: ReadonlyArray<PodDisruptionBudget>
  /** Returns numbers from 0 to below 1: chooses the first node that is tried. */
  readonly random: () => number
  /** What DynamicResources did before, for the message. Default: `noClaimsMessage`. */
  readonly claims?: string
  /** Default: `defaultPreemptionLimits`. */
  readonly limits?: PreemptionLimits
}

/** How many candidates are found before the best of them is taken: the larger of both. Upstream: DefaultPreemptionArgs. */
export interface PreemptionLimits {
  readonly minCandidateNodesPercentage: number
  readonly minCandidateNodesAbsolute: number
}

/** The defaults of DefaultPreemptionArgs: candidates on 10 % of the nodes, but on at least 100 nodes. */
export const defaultPreemptionLimits: PreemptionLimits = {
  minCandidateNodesPercentage: 10,
  minCandidateNodesAbsolute: 100
}

/** Makes every priority (a 32-bit integer) positive. */
const PRIORITY_SHIFT = 2 ** 31

const notHelpful = "Preemption is not helpful for scheduling"
const noVictims = "No preemption victims found for incoming pod"
/** The message of the DynamicResources plugin, which runs before preemption, for a pod without resource claims. */
export const noClaimsMessage = "no new claims to deallocate"

const startOf = ({ pod }: PodInfo): number =>
  pod.status?.startTime === undefined ? Number.POSITIVE_INFINITY : parseTime(pod.status.startTime)

/** Orders pods by importance: higher priority first, then the earlier start. Upstream: pkg/scheduler/util/utils.go MoreImportantPod. */
const byImportance = (left: PodInfo, right: PodInfo): number => {
  if (left.priority !== right.priority) return right.priority - left.priority
  const [a, b] = [startOf(left), startOf(right)]
  return a === b ? 0 : a < b ? -1 : 1
}

/**
 * Whether a budget protects a pod from preemption. As upstream, a budget without a selector, or with an empty selector,
 * protects no pod here, though the eviction API lets an empty one select all.
 */
const protects = ({ metadata, spec }: PodDisruptionBudget, { labels, namespace }: PodInfo): boolean => {
  if ((metadata.namespace ?? "default") !== namespace) return false
  const { matchExpressions = [], matchLabels = {} } = spec?.selector ?? {}
  if (matchExpressions.length === 0 && Object.keys(matchLabels).length === 0) return false
  return matchesLabelSelector(spec?.selector, labels)
}

/**
 * Pods whose preemption would violate a budget. Each pod, in order, uses one allowed disruption of each of its budgets. If
 * a budget has none left, the pod violates it, and its further budgets are not charged. Upstream: default_preemption.go
 * filterPodsWithPDBViolation.
 */
const podsViolatingBudgets = (
  pods: ReadonlyArray<PodInfo>,
  budgets: ReadonlyArray<PodDisruptionBudget>
): ReadonlySet<PodInfo> => {
  const allowed = new Map(budgets.map((budget) => [budget, budget.status?.disruptionsAllowed ?? 0]))
  const violating = new Set<PodInfo>()
  for (const info of pods) {
    if (Object.keys(info.labels).length === 0) continue
    for (const budget of budgets) {
      if (!protects(budget, info) || budget.status?.disruptedPods?.[info.name] !== undefined) continue
      const left = (allowed.get(budget) ?? 0) - 1
      allowed.set(budget, left)
      if (left >= 0) continue
      violating.add(info)
      break
    }
  }
  return violating
}

/**
 * Selects the victims on a node: removes all pods of lower priority, then puts back as many as the pod leaves room for,
 * those that budgets protect first. The cache is unchanged afterwards. Upstream: default_preemption.go
 * SelectVictimsOnNode.
 */
const selectVictims = (pod: PodInfo, node: NodeInfo, context: PreemptionContext): Candidate | Rejection => {
  const { budgets, cache, filters, nominations } = context
  const lowerPriority = [...node.pods].filter(({ priority }) => priority < pod.priority)
  const currentRejection = () => rejectionOn(pod, node, cache, filters, nominations)
  if (lowerPriority.length === 0)
    return { code: "UnschedulableAndUnresolvable", plugin: "DefaultPreemption", reasons: [noVictims] }
  for (const { key } of lowerPriority) cache.remove(key)
  const rejection = currentRejection()
  const victims: Array<PodInfo> = []
  let violations = 0
  if (rejection === undefined) {
    const sorted = lowerPriority.toSorted(byImportance)
    const violating = podsViolatingBudgets(sorted, budgets)
    for (const isProtected of [true, false]) {
      for (const info of sorted) {
        if (violating.has(info) !== isProtected) continue
        cache.place(info, node.name)
        if (currentRejection() === undefined) continue
        cache.remove(info.key)
        victims.push(info)
        if (isProtected) violations++
      }
    }
  }
  for (const info of rejection === undefined ? victims : lowerPriority) cache.place(info, node.name)
  return rejection ?? { node, victims: victims.sort(byImportance), violations }
}

/**
 * The criteria for the best candidate, in order: the lowest value wins, and the next criterion decides among equals. Fewest
 * violated budgets; lowest highest priority of a victim; lowest sum of priorities, which are shifted to be positive so
 * that fewer victims are better; fewest victims; latest start among the victims of highest priority. Upstream:
 * preemption.go pickOneNodeForPreemption.
 */
const costs: ReadonlyArray<(candidate: Candidate) => number> = [
  ({ violations }) => violations,
  ({ victims }) => victims[0]?.priority ?? Number.NEGATIVE_INFINITY,
  ({ victims }) => victims.reduce((sum, { priority }) => sum + priority + PRIORITY_SHIFT, 0),
  ({ victims }) => victims.length,
  ({ victims }) => {
    const highest = victims[0]?.priority
    return -Math.min(...victims.filter(({ priority }) => priority === highest).map(startOf))
  }
]

const cheapest = (candidates: ReadonlyArray<Candidate>): Candidate | undefined => {
  let remaining = candidates
  for (const cost of costs) {
    if (remaining.length <= 1) break
    const values = remaining.map(cost)
    const least = values.reduce((low, value) => Math.min(low, value), Number.POSITIVE_INFINITY)
    remaining = remaining.filter((_, index) => values[index] === least)
  }
  return remaining[0]
}

/** Why the pod must not preempt others, or not now; undefined if it may. Upstream: PodEligibleToPreemptOthers. */
const ineligibleReason = (
  pod: PodInfo,
  filtered: Filtered,
  { cache, nominations }: PreemptionContext
): string | undefined => {
  if (pod.pod.spec.preemptionPolicy === "Never") return "not eligible due to preemptionPolicy=Never."
  const nominated = cache.node(nominations.nodeOf(pod.key) ?? pod.pod.status?.nominatedNodeName ?? "")
  if (nominated === undefined) return undefined
  const rejection = filtered.preFilter ?? filtered.rejections[filtered.rejected.indexOf(nominated)]
  // Undefined if the node was not checked, because filters restrict the nodes by name.
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

/** The nodes where preemption could help: those whose rejection it can resolve. */
const nodesToTry = ({ preFilter, rejected, rejections }: Filtered, cache: SchedulingCache): ReadonlyArray<NodeInfo> => {
  if (preFilter !== undefined) return preFilter.code === "Unschedulable" ? cache.nodes() : []
  return rejected.filter((_, index) => rejections[index]?.code === "Unschedulable")
}

/** The number of `nodesToTry`. */
const countNodesToTry = ({ counts, preFilter }: Filtered, cache: SchedulingCache): number => {
  if (preFilter !== undefined) return preFilter.code === "Unschedulable" ? cache.nodes().length : 0
  let nodes = 0
  for (const [{ code }, count] of counts) if (code === "Unschedulable") nodes += count
  return nodes
}

/**
 * Tries nodes from a random one on, until enough candidates are found and at least one of them violates no budget. Calls
 * `onFailed` with each reason why a node is no candidate.
 * Upstream: preemption.go DryRunPreemption.
 */
const findCandidates = (
  pod: PodInfo,
  nodes: ReadonlyArray<NodeInfo>,
  context: PreemptionContext,
  onFailed: (reason: string) => void
): ReadonlyArray<Candidate> => {
  const { minCandidateNodesAbsolute, minCandidateNodesPercentage } = context.limits ?? defaultPreemptionLimits
  const share = Math.floor((nodes.length * minCandidateNodesPercentage) / 100)
  const limit = Math.min(nodes.length, Math.max(share, minCandidateNodesAbsolute))
  const offset = Math.floor(context.random() * nodes.length)
  const nonViolating: Array<Candidate> = []
  const violating: Array<Candidate> = []
  for (let step = 0; step < nodes.length; step++) {
    if (nonViolating.length > 0 && nonViolating.length + violating.length >= limit) break
    const node = nodes[(offset + step) % nodes.length]
    if (node === undefined) continue
    const outcome = selectVictims(pod, node, context)
    if (!("victims" in outcome)) for (const reason of outcome.reasons) onFailed(reason)
    else if (outcome.violations === 0) nonViolating.push(outcome)
    else if (violating.length < limit) violating.push(outcome)
  }
  return [...nonViolating, ...violating]
}

/**
 * Finds a node where the pod would fit if pods of lower priority were deleted. The cache is unchanged afterwards.
 * Upstream: pkg/scheduler/framework/preemption, pkg/scheduler/framework/plugins/defaultpreemption.
 */
export const preempt = (pod: PodInfo, filtered: Filtered, context: PreemptionContext): PreemptionResult => {
  const prefix = `${context.claims ?? noClaimsMessage}, preemption: `
  const reason = ineligibleReason(pod, filtered, context)
  if (reason !== undefined) return { _tag: "NotNominated", message: prefix + reason, keepsNomination: true }
  const counts = new Map<string, number>()
  const countNodes = (text: string, nodes = 1) => counts.set(text, (counts.get(text) ?? 0) + nodes)
  const tried = countNodesToTry(filtered, context.cache)
  const notTried = filtered.total - tried
  if (notTried > 0) countNodes(notHelpful, notTried)
  if (!context.cache.hasPriorityBelow(pod.priority)) {
    if (tried > 0) countNodes(noVictims, tried)
  } else {
    const best = cheapest(findCandidates(pod, nodesToTry(filtered, context.cache), context, countNodes))
    if (best !== undefined) return { _tag: "Nominated", node: best.node.name, victims: best.victims }
  }
  return { _tag: "NotNominated", message: prefix + unavailableMessage(filtered.total, counts), keepsNomination: false }
}
