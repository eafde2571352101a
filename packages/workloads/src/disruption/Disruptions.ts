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
import type { ScaleResult, Scales } from "./scales.ts"

/** What the controller needs. */
export interface DisruptionParts {
  readonly cluster: ClusterShape
  readonly timers: TimersShape
  readonly recorder: EventRecorder
  readonly budgets: Informer<"PodDisruptionBudget">
  /** Has the index `namespace`. */
  readonly pods: Informer<"Pod">
  readonly scales: Scales
  readonly queue: WorkQueue<string>
}

const parseBudget = ({ spec, status }: PodDisruptionBudget): Budget => ({
  ...(spec?.minAvailable === undefined ? {} : { minAvailable: spec.minAvailable }),
  ...(spec?.maxUnavailable === undefined ? {} : { maxUnavailable: spec.maxUnavailable }),
  disruptedPods: new Map(Object.entries(status?.disruptedPods ?? {}).map(([name, time]) => [name, parseTime(time)]))
})

/** Whether conditions are equal, times apart: those change only with the status. */
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

/**
 * Whether two statuses are equal. Of disruptedPods the names are enough: the time of an entry never changes while it
 * exists.
 */
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
    this.recordEvent(pod, severalBudgetsEvent(pod, first))
  }

  readonly sync = Effect.fnUntraced({ self: this }, function* (this: Disruptions, key: string) {
    const budget = this.parts.budgets.get(key)
    if (budget === undefined) return
    const { pods, timers } = this.parts
    const selected = pods
      .byIndex("namespace", budget.metadata.namespace ?? "")
      .filter(({ metadata }) => matchesLabelSelector(budget.spec?.selector, metadata.labels))
    if (selected.length === 0) this.recordEvent(budget, noPodsEvent)
    const parsedBudget = parseBudget(budget)
    const budgeted = yield* this.budgetedPods(selected, countsByScale(parsedBudget))
    if ("problem" in budgeted) {
      this.recordEvent(budget, uncountableEvent(budgeted.problem))
      return yield* this.write(budget, this.failedStatus(budget, budgeted.problem))
    }
    const status = budgetStatus(parsedBudget, budgeted.pods, timers.now())
    for (const event of budgetEvents(budget, selected, status)) this.recordEvent(event.about, event)
    yield* this.write(budget, this.newStatus(budget, status))
    if (status.recheckAtMs !== undefined) {
      this.parts.queue.addAfter(key, Math.max(0, status.recheckAtMs - timers.now()))
    }
  })

  /**
   * Returns what the budget needs to know of its pods, or the first problem. Controllers are looked up only for a
   * budget that counts by scale.
   */
  private readonly budgetedPods = Effect.fnUntraced(
    { self: this },
    function* (this: Disruptions, selected: ReadonlyArray<Pod>, byScale: boolean) {
      const resultByOwner = new Map<string, ScaleResult>()
      const pods: Array<BudgetedPod> = []
      for (const pod of selected) {
        const owner = byScale ? getControllerOf(pod)?.uid : undefined
        const result: ScaleResult =
          owner === undefined
            ? { controller: undefined }
            : (resultByOwner.get(owner) ?? (yield* this.parts.scales.of(pod)))
        if ("problem" in result) return result
        if (owner !== undefined) resultByOwner.set(owner, result)
        pods.push({
          name: pod.metadata.name ?? "",
          isReady: isPodReady(pod),
          isTerminating: pod.metadata.deletionTimestamp !== undefined,
          controller: result.controller
        })
      }
      return { pods }
    }
  )

  private recordEvent(about: Pod | PodDisruptionBudget, { message, reason, type }: BudgetEvent): void {
    this.parts.recorder.event(about, type, reason, message)
  }

  /** The status that the budget gets from its pods. Upstream: updatePdbStatus. */
  private newStatus(budget: PodDisruptionBudget, status: BudgetStatus): PodDisruptionBudgetStatus {
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
  private failedStatus(budget: PodDisruptionBudget, message: string): PodDisruptionBudgetStatus {
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

  /** Sets the condition DisruptionAllowed. Upstream: apimachinery/pkg/api/meta/conditions.go SetStatusCondition. */
  private withCondition(
    budget: PodDisruptionBudget,
    fields: ConditionFields
  ): NonNullable<PodDisruptionBudgetStatus["conditions"]> {
    const type = "DisruptionAllowed"
    const before = budget.status?.conditions ?? []
    const current = before.find((condition) => condition.type === type)
    const unchangedSince = current?.status === fields.status ? current.lastTransitionTime : undefined
    const { observedGeneration, ...rest } = fields
    const condition = {
      type,
      ...rest,
      ...(observedGeneration === 0 ? {} : { observedGeneration }),
      lastTransitionTime: unchangedSince ?? formatTime(this.parts.timers.now())
    }
    return current === undefined
      ? [...before, condition]
      : before.map((other) => (other === current ? condition : other))
  }

  private write(budget: PodDisruptionBudget, status: PodDisruptionBudgetStatus): Effect.Effect<void, ClusterError> {
    if (sameStatus(budget.status, status)) return Effect.void
    return Effect.asVoid(this.parts.cluster.updateStatus("PodDisruptionBudget", { ...budget, status }))
  }
}
