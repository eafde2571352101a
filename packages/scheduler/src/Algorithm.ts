import type { PodDisruptionBudget } from "@rollcall/api"
import type { PodInfo } from "./cache/CacheRecords.ts"
import type { SchedulingCache } from "./cache/SchedulingCache.ts"
import type { Decision } from "./Decision.ts"
import { failureMessage, rejectingPlugins } from "./FailureMessage.ts"
import { feasibleNodesToFind } from "./FeasibleNodes.ts"
import { type Filtered, filterNodes, rejectionOn } from "./Filtering.ts"
import { KnownFailures } from "./KnownFailures.ts"
import { Nominations } from "./Nominations.ts"
import { noClaims, preempt } from "./Preemption.ts"
import type { Profile } from "./Profile.ts"
import { type NamedProfile, type Profiles, schedulerNameOf } from "./SchedulerConfig.ts"
import { pickBest, scoreNodes } from "./Scoring.ts"

export interface AlgorithmOptions {
  readonly profile: Profile
  /** 0 adapts to the size of the cluster. */
  readonly percentageOfNodesToScore: number
  /** Returns numbers from 0 to below 1. */
  readonly random: () => number
  readonly budgets?: () => ReadonlyArray<PodDisruptionBudget>
  /** The profiles of pods with another schedulerName than the default one. */
  readonly profiles?: Profiles
}

/** Runs one scheduling cycle after the other over one cache. Upstream: pkg/scheduler/schedule_one.go. */
export class Algorithm {
  readonly nominations = new Nominations()
  private readonly cache: SchedulingCache
  private readonly options: AlgorithmOptions
  /** The node at which the next search starts, so that all nodes are considered in turn. */
  private start = 0
  private readonly known: KnownFailures

  constructor(cache: SchedulingCache, options: AlgorithmOptions) {
    this.cache = cache
    this.options = options
    this.known = new KnownFailures(cache)
  }

  /** Schedules a pod; changes nothing but the start of the next search. */
  schedule(pod: PodInfo): Decision {
    const nominated = this.nominatedNode(pod)
    if (nominated !== undefined) return { _tag: "Bind", node: nominated }
    const known = this.isRepeatable(pod) ? this.known.find(pod) : undefined
    if (known !== undefined) return known
    const filtered = this.filter(pod)
    const best = this.best(pod, filtered)
    if (best !== undefined) return { _tag: "Bind", node: best }
    const failure = this.failure(pod, filtered)
    if (this.isRepeatable(pod)) this.known.add(pod, failure)
    return failure
  }

  /**
   * Whether an equal pod would fail in the same way. Not if preemption (budgets, random choices) or nominations (the
   * pod itself) matter.
   */
  private isRepeatable(pod: PodInfo): boolean {
    return this.nominations.isEmpty && !this.cache.hasPriorityBelow(pod.priority)
  }

  private ruleFor({ pod }: PodInfo): Pick<NamedProfile, "profile" | "percentageOfNodesToScore"> {
    return this.options.profiles?.get(schedulerNameOf(pod)) ?? this.options
  }

  private filter(pod: PodInfo): Filtered {
    const { cache, nominations, start } = this
    const { percentageOfNodesToScore, profile } = this.ruleFor(pod)
    // Without scoring, the first feasible node is enough.
    const wanted = (candidates: number) =>
      profile.scores.length === 0 ? 1 : feasibleNodesToFind(candidates, percentageOfNodesToScore)
    const filtered = filterNodes(pod, cache, profile.filters, { start, wanted, nominations })
    const looked = filtered.feasible.length + filtered.rejected.length
    if (filtered.total > 0) this.start = (start + looked) % filtered.total
    return filtered
  }

  private best(pod: PodInfo, { feasible }: Filtered): string | undefined {
    if (feasible.length <= 1) return feasible[0]?.name
    const totals = scoreNodes(pod, feasible, this.cache, this.ruleFor(pod).profile.scores)
    return pickBest(feasible, totals, this.options.random)?.name
  }

  /** The pod's nominated node, which is tried before all others, because pods were preempted for it there. */
  private nominatedNode(pod: PodInfo): string | undefined {
    const name = this.nominations.of(pod.key) ?? pod.pod.status?.nominatedNodeName ?? ""
    const node = name === "" ? undefined : this.cache.node(name)
    if (node === undefined) return undefined
    const rejection = rejectionOn(pod, node, this.cache, this.ruleFor(pod).profile.filters, this.nominations)
    return rejection === undefined ? name : undefined
  }

  private failure(pod: PodInfo, filtered: Filtered): Decision {
    const plugins = rejectingPlugins(filtered)
    if (filtered.total === 0) return { _tag: "Unschedulable", message: failureMessage(filtered), plugins }
    const { cache, nominations } = this
    const { budgets, random } = this.options
    const { profile } = this.ruleFor(pod)
    if (profile.preemption === "none") {
      return { _tag: "Unschedulable", message: failureMessage(filtered, noClaims), plugins }
    }
    const outcome = preempt(pod, filtered, {
      cache,
      filters: profile.filters,
      nominations,
      budgets: budgets?.() ?? [],
      random,
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
