import type { PodDisruptionBudget } from "@rollcall/api"
import type { PodInfo } from "./cache/CacheRecords.ts"
import { needsDevices } from "./cache/PodDevices.ts"
import type { SchedulingCache } from "./cache/SchedulingCache.ts"
import type { Decision } from "./Decision.ts"
import { failureMessage, rejectingPlugins } from "./FailureMessage.ts"
import { feasibleNodesToFind } from "./FeasibleNodes.ts"
import type { Filtered } from "./Filtered.ts"
import { filterNodes, rejectionOn } from "./Filtering.ts"
import { KnownChecks } from "./KnownChecks.ts"
import { KnownFailures } from "./KnownFailures.ts"
import { Nominations } from "./Nominations.ts"
import type { FilterPlugin } from "./Plugin.ts"
import { noClaimsMessage, preempt } from "./Preemption.ts"
import type { Profile } from "./Profile.ts"
import { dynamicResourcesName } from "./plugins/DynamicResources.ts"
import { type NamedProfile, type Profiles, schedulerNameOf } from "./SchedulerConfig.ts"
import { pickBest, type ScoreBuffers, scoreNodes } from "./Scoring.ts"

/** What scheduling cycles depend on besides the cache. */
export interface AlgorithmOptions {
  /** The profile of pods whose schedulerName has no entry in `profiles`. */
  readonly profile: Profile
  /** Percentage of the nodes that must be found feasible before scoring; 0 adapts it to the size of the cluster. */
  readonly percentageOfNodesToScore: number
  /** Returns numbers from 0 to below 1; chooses among equally good nodes. */
  readonly random: () => number
  /** All PodDisruptionBudgets, for preemption; absent means that there are none. */
  readonly budgets?: () => ReadonlyArray<PodDisruptionBudget>
  /** Profiles by schedulerName. */
  readonly profiles?: Profiles
}

/** What DynamicResources reports, and preemption then does not run, where it has not seen the pod in this cycle. */
const noClaimsState = "not found"

/** Whether an earlier plugin ended the cycle before DynamicResources saw the pod. Upstream: RunPreFilterPlugins. */
const hidesClaims = ({ preFilter }: Filtered, filters: ReadonlyArray<FilterPlugin>): boolean => {
  const placeOf = (plugin: string) => filters.findIndex(({ name }) => name === plugin)
  return preFilter?.code === "UnschedulableAndUnresolvable" && placeOf(preFilter.plugin) < placeOf(dynamicResourcesName)
}

/**
 * Selects nodes for pods: each call of `schedule` is one scheduling cycle over the cache. Upstream:
 * pkg/scheduler/schedule_one.go schedulePod.
 */
export class Algorithm {
  readonly nominations = new Nominations()
  private readonly cache: SchedulingCache
  private readonly options: AlgorithmOptions
  /** Index, in the node order, of the first node that the next search checks; it advances so that all get their turn. */
  private nextStart = 0
  private readonly knownFailures: KnownFailures
  private readonly knownChecks = new KnownChecks()
  private readonly buffers: ScoreBuffers = { totals: [], scores: [] }

  constructor(cache: SchedulingCache, options: AlgorithmOptions) {
    this.cache = cache
    this.options = options
    this.knownFailures = new KnownFailures(cache)
  }

  /** Decides on a pod. The caller must apply the decision: only the start of the next search changes here. */
  schedule(pod: PodInfo): Decision {
    const nominated = this.nominatedNode(pod)
    if (nominated !== undefined) return { _tag: "Bind", node: nominated }
    const knownFailure = this.isRepeatable(pod) ? this.knownFailures.find(pod) : undefined
    if (knownFailure !== undefined) return knownFailure
    const filtered = this.filter(pod)
    const node = this.bestNode(pod, filtered)
    if (node !== undefined) return { _tag: "Bind", node }
    const failure = this.tryPreemption(pod, filtered)
    if (this.isRepeatable(pod)) this.knownFailures.add(pod, failure)
    return failure
  }

  /**
   * Whether an equal pod would fail in the same way. That is not so if preemption is possible, which depends on budgets
   * and random numbers, or if there are nominations or claims, which depend on the pod itself.
   */
  private isRepeatable(pod: PodInfo): boolean {
    return (
      this.nominations.isEmpty && !needsDevices(pod, this.cache.devices) && !this.cache.hasPriorityBelow(pod.priority)
    )
  }

  private profileFor({ pod }: PodInfo): Pick<NamedProfile, "profile" | "percentageOfNodesToScore"> {
    return this.options.profiles?.get(schedulerNameOf(pod)) ?? this.options
  }

  private filter(pod: PodInfo): Filtered {
    const { cache, knownChecks: known, nominations, nextStart } = this
    const { percentageOfNodesToScore, profile } = this.profileFor(pod)
    // Without scoring, the first feasible node is enough.
    const nodesToFind = (candidates: number) =>
      profile.scores.length === 0 ? 1 : feasibleNodesToFind(candidates, percentageOfNodesToScore)
    const filtered = filterNodes(pod, cache, profile.filters, { start: nextStart, nodesToFind, nominations, known })
    if (filtered.total > 0) this.nextStart = (nextStart + filtered.checked) % filtered.total
    return filtered
  }

  private bestNode(pod: PodInfo, { feasible }: Filtered): string | undefined {
    if (feasible.length <= 1) return feasible[0]?.name
    const { scores } = this.profileFor(pod).profile
    const totals = scoreNodes(pod, feasible, this.cache, scores, undefined, this.buffers)
    return pickBest(feasible, totals, this.options.random)?.name
  }

  /** The pod's nominated node if the pod fits there. It is tried first, because pods were preempted for it there. */
  private nominatedNode(pod: PodInfo): string | undefined {
    const name = this.nominations.nodeOf(pod.key) ?? pod.pod.status?.nominatedNodeName ?? ""
    const node = name === "" ? undefined : this.cache.node(name)
    if (node === undefined) return undefined
    const rejection = rejectionOn(pod, node, this.cache, this.profileFor(pod).profile.filters, this.nominations)
    return rejection === undefined ? name : undefined
  }

  /** The decision for a pod without a feasible node: preemption, if it helps, else only the reasons. */
  private tryPreemption(pod: PodInfo, filtered: Filtered): Decision {
    const plugins = rejectingPlugins(filtered)
    if (filtered.total === 0) return { _tag: "Unschedulable", message: failureMessage(filtered), plugins }
    const { cache, nominations } = this
    const { budgets, random } = this.options
    const { profile } = this.profileFor(pod)
    if (hidesClaims(filtered, profile.filters)) {
      return { _tag: "Unschedulable", message: failureMessage(filtered, noClaimsState), plugins, keepsNomination: true }
    }
    const claims =
      (needsDevices(pod, cache.devices) ? cache.devices?.deallocate(pod.pod) : undefined) ?? noClaimsMessage
    if (profile.preemption === "none") {
      return { _tag: "Unschedulable", message: failureMessage(filtered, claims), plugins }
    }
    const outcome = preempt(pod, filtered, {
      cache,
      filters: profile.filters,
      nominations,
      budgets: budgets?.() ?? [],
      random,
      claims,
      ...(profile.preemption === undefined ? {} : { limits: profile.preemption })
    })
    return outcome._tag === "Nominated"
      ? {
          _tag: "Unschedulable",
          message: failureMessage(filtered),
          plugins,
          nominated: { node: outcome.node, victims: outcome.victims }
        }
      : {
          _tag: "Unschedulable",
          message: failureMessage(filtered, outcome.message),
          plugins,
          keepsNomination: outcome.keepsNomination
        }
  }
}
