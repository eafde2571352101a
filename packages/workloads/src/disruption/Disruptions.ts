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
import { type Budget, type BudgetedPod, type BudgetStatus, budgetStatus } from "./budgetStatus.ts"

export interface DisruptionParts {
  readonly cluster: ClusterShape
  readonly timers: TimersShape
  readonly recorder: EventRecorder
  readonly budgets: Informer<"PodDisruptionBudget">
  /** With an index `namespace`. */
  readonly pods: Informer<"Pod">
  readonly replicaSets: Informer<"ReplicaSet">
  readonly deployments: Informer<"Deployment">
  readonly statefulSets: Informer<"StatefulSet">
  readonly queue: WorkQueue<string>
}

type Controller = NonNullable<BudgetedPod["controller"]>
type Found = { readonly controller: Controller | undefined } | { readonly problem: string }

const budgetOf = ({ spec, status }: PodDisruptionBudget): Budget => ({
  ...(spec?.minAvailable === undefined ? {} : { minAvailable: spec.minAvailable }),
  ...(spec?.maxUnavailable === undefined ? {} : { maxUnavailable: spec.maxUnavailable }),
  disruptedPods: new Map(Object.entries(status?.disruptedPods ?? {}).map(([name, time]) => [name, parseTime(time)]))
})

/** A number of pods to keep is compared with those that there are; whoever controls them is not asked. */
const asksNobody = ({ spec }: PodDisruptionBudget): boolean =>
  spec?.maxUnavailable === undefined && typeof spec?.minAvailable === "number"

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

/**
 * Keeps the status of PodDisruptionBudgets, by which evictions are granted or refused.
 * Upstream: pkg/controller/disruption/disruption.go.
 */
export class Disruptions {
  private readonly parts: DisruptionParts

  constructor(parts: DisruptionParts) {
    this.parts = parts
  }

  /** The budgets that have something to say about a pod. */
  enqueueFor(pod: Pod): void {
    for (const budget of this.parts.budgets.list()) {
      if (budget.metadata.namespace !== pod.metadata.namespace) continue
      if (matchesLabelSelector(budget.spec?.selector, pod.metadata.labels)) this.parts.queue.add(keyOf(budget))
    }
  }

  readonly sync = Effect.fnUntraced(function* (this: Disruptions, key: string) {
    const budget = this.parts.budgets.get(key)
    if (budget === undefined) return
    const { pods, recorder, timers } = this.parts
    const selected = pods
      .byIndex("namespace", budget.metadata.namespace ?? "")
      .filter(({ metadata }) => matchesLabelSelector(budget.spec?.selector, metadata.labels))
    if (selected.length === 0) recorder.event(budget, "Normal", "NoPods", "No matching pods found")
    const budgeted: Array<BudgetedPod> = []
    for (const pod of selected) {
      const found: Found = asksNobody(budget) ? { controller: undefined } : this.controllerOf(pod)
      if ("problem" in found) {
        const text = `Failed to calculate the number of expected pods: ${found.problem}`
        recorder.event(budget, "Warning", "CalculateExpectedPodCountFailed", text)
        return yield* this.write(budget, this.failed(budget, found.problem))
      }
      budgeted.push({
        name: pod.metadata.name ?? "",
        isReady: isPodReady(pod),
        isTerminating: pod.metadata.deletionTimestamp !== undefined,
        controller: found.controller
      })
    }
    const status = budgetStatus(budgetOf(budget), budgeted, timers.now())
    this.tell(budget, selected, status)
    yield* this.write(budget, this.settled(budget, status))
    if (status.recheckAtMs !== undefined) {
      this.parts.queue.addAfter(key, Math.max(0, status.recheckAtMs - timers.now()))
    }
  })

  /** How many pods whoever controls this one asks for. */
  private controllerOf(pod: Pod): Found {
    const owner = getControllerOf(pod)
    if (owner === undefined) return { controller: undefined }
    const { namespace = "" } = pod.metadata
    const { deployments, replicaSets, statefulSets } = this.parts
    if (owner.kind === "StatefulSet") {
      const set = statefulSets.find(owner.name, namespace)
      if (set?.metadata.uid === owner.uid) return { controller: { name: owner.uid, replicas: set.spec.replicas ?? 1 } }
    }
    if (owner.kind === "ReplicaSet") {
      const set = replicaSets.find(owner.name, namespace)
      if (set?.metadata.uid === owner.uid) {
        const above = getControllerOf(set)
        if (above?.kind !== "Deployment") return { controller: { name: owner.uid, replicas: set.spec.replicas ?? 1 } }
        const deployment = deployments.find(above.name, namespace)
        if (deployment?.metadata.uid === above.uid) {
          return { controller: { name: above.uid, replicas: deployment.spec.replicas ?? 1 } }
        }
      }
    }
    return { problem: `found no controllers for pod ${JSON.stringify(pod.metadata.name)}` }
  }

  private tell(budget: PodDisruptionBudget, selected: ReadonlyArray<Pod>, status: BudgetStatus): void {
    const { recorder } = this.parts
    const { namespace } = budget.metadata
    for (const name of status.notDeleted) {
      const pod = selected.find(({ metadata }) => metadata.name === name)
      // The budget's namespace stands where its name belongs: upstream's text.
      const text = `Pod was expected by PDB ${namespace}/${namespace} to be deleted but it wasn't`
      if (pod !== undefined) recorder.event(pod, "Warning", "NotDeleted", text)
    }
    if (status.unmanaged.length > 0) {
      const list = status.unmanaged.join(" ")
      const text = `Pods selected by this PodDisruptionBudget (selector: ${JSON.stringify(budget.spec?.selector ?? {})}) were found to be unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value. (pods: ${list})`
      recorder.event(budget, "Warning", "UnmanagedPods", text)
    }
  }

  private settled(budget: PodDisruptionBudget, status: BudgetStatus): PodDisruptionBudgetStatus {
    const disrupted = [...status.disruptedPods].map(([name, ms]) => [name, formatTime(ms)] as const)
    return {
      ...(disrupted.length === 0 ? {} : { disruptedPods: Object.fromEntries(disrupted) }),
      observedGeneration: budget.metadata.generation ?? 0,
      disruptionsAllowed: status.disruptionsAllowed,
      currentHealthy: status.currentHealthy,
      desiredHealthy: status.desiredHealthy,
      expectedPods: status.expectedPods,
      conditions: this.conditions(budget, status.condition.status, status.condition.reason, "")
    }
  }

  /** What is not known is not allowed. Upstream: failSafe. */
  private failed(budget: PodDisruptionBudget, message: string): PodDisruptionBudgetStatus {
    const { currentHealthy = 0, desiredHealthy = 0, expectedPods = 0, ...rest } = budget.status ?? {}
    return {
      ...rest,
      currentHealthy,
      desiredHealthy,
      expectedPods,
      disruptionsAllowed: 0,
      conditions: this.conditions(budget, "False", "SyncFailed", message)
    }
  }

  private conditions(budget: PodDisruptionBudget, status: "True" | "False", reason: string, message: string) {
    const type = "DisruptionAllowed"
    const before = budget.status?.conditions ?? []
    const last = before.find((condition) => condition.type === type)
    const unchanged = last?.status === status ? last.lastTransitionTime : undefined
    const condition = {
      type,
      status,
      observedGeneration: budget.metadata.generation ?? 0,
      lastTransitionTime: unchanged ?? formatTime(this.parts.timers.now()),
      reason,
      message
    }
    return [...before.filter((other) => other !== last), condition]
  }

  private write(budget: PodDisruptionBudget, status: PodDisruptionBudgetStatus): Effect.Effect<void, ClusterError> {
    if (sameStatus(budget.status, status)) return Effect.void
    return Effect.asVoid(this.parts.cluster.updateStatus("PodDisruptionBudget", { ...budget, status }))
  }
}
