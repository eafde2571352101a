import {
  formatTime,
  getControllerOf,
  isPodReady,
  keyOf,
  matchesLabelSelector,
  type Pod,
  type PodDisruptionBudget,
  type PodDisruptionBudgetStatus,
  parseTime
} from "@rollcall/api"
import type { ClusterError, ClusterShape, EventRecorder, Informer, WorkQueue } from "@rollcall/cluster"
import type { TimersShape } from "@rollcall/time"
import * as Effect from "effect/Effect"
import { type BudgetEvent, budgetEvents, noPodsEvent, severalBudgetsEvent, uncountableEvent } from "./budgetEvents.ts"
import { type Budget, type BudgetedPod, type BudgetStatus, budgetStatus, countsByScale } from "./budgetStatus.ts"
import type { Found, Scales } from "./scales.ts"

export interface DisruptionParts {
  readonly cluster: ClusterShape
  readonly timers: TimersShape
  readonly recorder: EventRecorder
  readonly budgets: Informer<"PodDisruptionBudget">
  /** With an index `namespace`. */
  readonly pods: Informer<"Pod">
  readonly scales: Scales
  readonly queue: WorkQueue<string>
}

const budgetOf = ({ spec, status }: PodDisruptionBudget): Budget => ({
  ...(spec?.minAvailable === undefined ? {} : { minAvailable: spec.minAvailable }),
  ...(spec?.maxUnavailable === undefined ? {} : { maxUnavailable: spec.maxUnavailable }),
  disruptedPods: new Map(Object.entries(status?.disruptedPods ?? {}).map(([name, time]) => [name, parseTime(time)]))
})

const sameConditions = (
  left: PodDisruptionBudgetStatus["conditions"] = [],
  right: PodDisruptionBudgetStatus["conditions"] = []
): boolean =>
  left.length === right.length &&
  left.every((condition, index) => {
    const other = right[index]
    return (
      condition.type === other?.type &&
      condition.status === other.status &&
      condition.reason === other.reason &&
      (condition.message ?? "") === (other.message ?? "") &&
      condition.observedGeneration === other.observedGeneration
    )
  })

const sameStatus = (left: PodDisruptionBudgetStatus | undefined, right: PodDisruptionBudgetStatus): boolean =>
  left !== undefined &&
  left.observedGeneration === right.observedGeneration &&
  left.disruptionsAllowed === right.disruptionsAllowed &&
  left.currentHealthy === right.currentHealthy &&
  left.desiredHealthy === right.desiredHealthy &&
  left.expectedPods === right.expectedPods &&
  Object.keys(left.disruptedPods ?? {}).join() === Object.keys(right.disruptedPods ?? {}).join() &&
  sameConditions(left.conditions, right.conditions)

interface ConditionFields {
  readonly status: "True" | "False"
  readonly reason: string
  readonly message: string
  readonly observedGeneration: number
}

/**
 * Maintains the status of PodDisruptionBudgets, from which evictions are granted or refused.
 * Upstream: pkg/controller/disruption/disruption.go.
 */
export class Disruptions {
  private readonly parts: DisruptionParts

  constructor(parts: DisruptionParts) {
    this.parts = parts
  }

  /** Queues the budgets that select a pod. More than one is a mistake, which is recorded as an Event on the pod. */
  enqueueFor(pod: Pod): void {
    let [first, count]: [PodDisruptionBudget | undefined, number] = [undefined, 0]
    for (const budget of this.parts.budgets.list()) {
      if (budget.metadata.namespace !== pod.metadata.namespace) continue
      if (!matchesLabelSelector(budget.spec?.selector, pod.metadata.labels)) continue
      first ??= budget
      count++
      this.parts.queue.add(keyOf(budget))
    }
    if (first === undefined || count < 2) return
    this.say(pod, severalBudgetsEvent(pod, first))
  }

  readonly sync = Effect.fnUntraced({ self: this }, function* (this: Disruptions, key: string) {
    const budget = this.parts.budgets.get(key)
    if (budget === undefined) return
    const { pods, timers } = this.parts
    const selected = pods
      .byIndex("namespace", budget.metadata.namespace ?? "")
      .filter(({ metadata }) => matchesLabelSelector(budget.spec?.selector, metadata.labels))
    if (selected.length === 0) this.say(budget, noPodsEvent)
    const given = budgetOf(budget)
    const budgeted = yield* this.budgeted(selected, countsByScale(given))
    if ("problem" in budgeted) {
      this.say(budget, uncountableEvent(budgeted.problem))
      return yield* this.write(budget, this.failed(budget, budgeted.problem))
    }
    const status = budgetStatus(given, budgeted.pods, timers.now())
    for (const event of budgetEvents(budget, selected, status)) this.say(event.about, event)
    yield* this.write(budget, this.settled(budget, status))
    if (status.recheckAtMs !== undefined) {
      this.parts.queue.addAfter(key, Math.max(0, status.recheckAtMs - timers.now()))
    }
  })

  /** The pods with what the budget needs to know; their controllers matter only to a budget that counts by scale. */
  private readonly budgeted = Effect.fnUntraced(
    { self: this },
    function* (this: Disruptions, selected: ReadonlyArray<Pod>, byScale: boolean) {
      const known = new Map<string, Found>()
      const pods: Array<BudgetedPod> = []
      for (const pod of selected) {
        const owner = byScale ? getControllerOf(pod)?.uid : undefined
        const found: Found =
          owner === undefined ? { controller: undefined } : (known.get(owner) ?? (yield* this.parts.scales.of(pod)))
        if ("problem" in found) return found
        if (owner !== undefined) known.set(owner, found)
        pods.push({
          name: pod.metadata.name ?? "",
          isReady: isPodReady(pod),
          isTerminating: pod.metadata.deletionTimestamp !== undefined,
          controller: found.controller
        })
      }
      return { pods }
    }
  )

  private say(about: Pod | PodDisruptionBudget, { message, reason, type }: BudgetEvent): void {
    this.parts.recorder.event(about, type, reason, message)
  }

  private settled(budget: PodDisruptionBudget, status: BudgetStatus): PodDisruptionBudgetStatus {
    const disrupted = [...status.disruptedPods].map(([name, ms]) => [name, formatTime(ms)] as const)
    const observedGeneration = budget.metadata.generation ?? 0
    return {
      ...(disrupted.length === 0 ? {} : { disruptedPods: Object.fromEntries(disrupted) }),
      observedGeneration,
      disruptionsAllowed: status.disruptionsAllowed,
      currentHealthy: status.currentHealthy,
      desiredHealthy: status.desiredHealthy,
      expectedPods: status.expectedPods,
      conditions: this.withCondition(budget, { ...status.condition, message: "", observedGeneration })
    }
  }

  /** The status after a failure: no disruptions are allowed. Upstream: failSafe. */
  private failed(budget: PodDisruptionBudget, message: string): PodDisruptionBudgetStatus {
    const { currentHealthy = 0, desiredHealthy = 0, expectedPods = 0, ...rest } = budget.status ?? {}
    const observedGeneration = budget.status?.observedGeneration ?? 0
    return {
      ...rest,
      currentHealthy,
      desiredHealthy,
      expectedPods,
      disruptionsAllowed: 0,
      conditions: this.withCondition(budget, { status: "False", reason: "SyncFailed", message, observedGeneration })
    }
  }

  /** Upstream: apimachinery/pkg/api/meta/conditions.go SetStatusCondition. */
  private withCondition(
    budget: PodDisruptionBudget,
    fields: ConditionFields
  ): NonNullable<PodDisruptionBudgetStatus["conditions"]> {
    const type = "DisruptionAllowed"
    const before = budget.status?.conditions ?? []
    const last = before.find((condition) => condition.type === type)
    const since = last?.status === fields.status ? last.lastTransitionTime : undefined
    const { observedGeneration, ...rest } = fields
    const condition = {
      type,
      ...rest,
      ...(observedGeneration === 0 ? {} : { observedGeneration }),
      lastTransitionTime: since ?? formatTime(this.parts.timers.now())
    }
    return last === undefined ? [...before, condition] : before.map((other) => (other === last ? condition : other))
  }

  private write(budget: PodDisruptionBudget, status: PodDisruptionBudgetStatus): Effect.Effect<void, ClusterError> {
    if (sameStatus(budget.status, status)) return Effect.void
    return Effect.asVoid(this.parts.cluster.updateStatus("PodDisruptionBudget", { ...budget, status }))
  }
}
