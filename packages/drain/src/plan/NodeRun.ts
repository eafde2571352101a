import { formatDuration, type Pod, parseTime } from "@rollcall/api"
import { drainMessages } from "../PodFilters.ts"
import { type FilteredPod, type PodsContext, podsForDeletion } from "../podsForDeletion.ts"
import { numbersOf } from "./BudgetLedger.ts"
import type { Block, BudgetNumbers, NodeOutcome } from "./DrainPlan.ts"
import { explainRefusal, explainUncounted } from "./explainBudget.ts"
import { missingFlags } from "./missingFlags.ts"
import type { PlanCluster } from "./PlanCluster.ts"
import type { PlannedPod } from "./PlannedPod.ts"
import type { DrainDependencies, PlanDrainOptions } from "./Snapshot.ts"

/** kubectl's pause between attempts at a pod whose budget refuses. */
export const RETRY_SECONDS = 5
const TOO_MANY_REQUESTS = 429
const INTERNAL_ERROR = 500

/** A pod of the node, and what has happened to it. Times are seconds since the drain began; undefined until then. */
export interface PodRun {
  readonly planned: PlannedPod
  /** The pod when the node's drain started. */
  readonly pod: Pod
  readonly verdict: FilteredPod["verdict"]
  graceSeconds: number
  /** When the API granted the eviction or deletion. */
  leaves: number | undefined
  /** Number of attempts that a budget refused. */
  refusals: number
  /** The first refusal, and the budget at that time. */
  waitsFor: { readonly message: string; readonly budget?: BudgetNumbers } | undefined
  /** Why the budget permitted the eviction without counting it. */
  uncounted: string | undefined
  /** Why kubectl stopped waiting although the pod still existed. */
  leftBehind: string | undefined
  block: Block | undefined
  /** When kubectl is finished with the pod. */
  settledAt: number | undefined
  /** `PlanCluster.version` at the last attempt; -1 before the first. */
  triedVersion: number
}

/** The simulated drain of one node. Times are seconds since the whole drain began; undefined if it never happens. */
export interface NodeResult {
  readonly name: string
  readonly starts: number | undefined
  readonly ends: number | undefined
  readonly outcome: NodeOutcome
  readonly errors: ReadonlyArray<string>
  readonly warnings: ReadonlyArray<string>
  readonly wants: ReadonlyArray<string>
  readonly pods: ReadonlyArray<PodRun>
}

/** The reason for a filter's error. Its text is the filter's own, or the API's if the DaemonSet could not be read. */
const blockReasonOf = (message: string): Block["reason"] => {
  if (message === drainMessages.localStorageFatal) return "local-storage"
  return message === drainMessages.unmanagedFatal ? "unmanaged" : "daemon-set"
}

/** A pod as kubectl's errors show it: `pods/"name" -n "namespace"`. */
const quotedPod = ({ metadata }: Pod): string =>
  `pods/${JSON.stringify(metadata.name)} -n ${JSON.stringify(metadata.namespace)}`

/** kubectl's drain of one node, in the plan's virtual time. Upstream: staging/src/k8s.io/kubectl/pkg/drain/drain.go. */
export class NodeRun {
  private readonly cluster: PlanCluster
  private readonly dependencies: DrainDependencies
  private readonly options: PlanDrainOptions
  private readonly startsAt: number
  private readonly deadline: number
  private runs: ReadonlyArray<PodRun> = []

  constructor(cluster: PlanCluster, dependencies: DrainDependencies, options: PlanDrainOptions) {
    this.cluster = cluster
    this.dependencies = dependencies
    this.options = options
    this.startsAt = cluster.events.now
    this.deadline = options.timeoutSeconds ? this.startsAt + options.timeoutSeconds : Number.POSITIVE_INFINITY
  }

  /** Simulates the drain of the node; `events.now` is then the time at which kubectl is finished with it. */
  run(name: string): NodeResult {
    const planned = this.cluster.podsOn(name)
    const context: PodsContext = {
      ...this.options,
      nowMs: this.cluster.nowMs,
      daemonSetError: (namespace, set) =>
        this.cluster.hasDaemonSet(namespace, set)
          ? undefined
          : { notFound: true, message: `daemonsets.apps ${JSON.stringify(set)} not found` }
    }
    const candidates = planned.map(({ pod }) => pod)
    const { errors, pods, warnings } = podsForDeletion(candidates, context)
    const plannedByPod = new Map(planned.map((one) => [one.pod, one]))
    this.runs = pods.flatMap(({ pod, verdict }) => {
      const one = plannedByPod.get(pod)
      return one === undefined ? [] : [this.startRun(one, verdict)]
    })
    const outcome = errors.length > 0 ? "refused" : this.removePods()
    const ends = outcome === "stuck" ? undefined : this.cluster.events.now
    const wants = errors.length > 0 ? missingFlags(candidates, context) : []
    return { name, starts: this.startsAt, ends, outcome, errors, warnings, wants, pods: this.runs }
  }

  private startRun(planned: PlannedPod, verdict: PodRun["verdict"]): PodRun {
    return {
      planned,
      pod: planned.pod,
      verdict,
      graceSeconds: this.cluster.graceOf(planned.pod, this.options.gracePeriodSeconds),
      leaves: undefined,
      refusals: 0,
      waitsFor: undefined,
      uncounted: undefined,
      leftBehind: undefined,
      block:
        verdict.reason === "Error"
          ? { reason: blockReasonOf(verdict.message), message: `cannot delete ${verdict.message}` }
          : undefined,
      settledAt: undefined,
      triedVersion: -1
    }
  }

  private removePods(): NodeOutcome {
    const toDelete = this.runs.filter(({ verdict }) => verdict.delete)
    for (const run of toDelete) {
      if (this.options.disableEviction === true) this.terminate(run)
      else this.attemptEviction(run)
    }
    return this.waitFor(toDelete)
  }

  private attemptEviction(run: PodRun): void {
    const { events, ledger, version } = this.cluster
    if (run.settledAt !== undefined || run.leaves !== undefined) return
    if (events.now >= this.deadline) return
    if (run.planned.isGone) {
      run.settledAt = events.now
      return
    }
    run.triedVersion = version
    const { pod } = run.planned
    const answer = this.dependencies.decideEviction(pod, ledger.inNamespaceOf(pod))
    const budget = ledger.firstSelecting(pod)
    if (answer._tag !== "Refuse") {
      if (answer._tag === "Delete" && budget !== undefined) run.uncounted = explainUncounted(pod, budget)
      this.terminate(run)
      return
    }
    const { code, details, message = "" } = answer.status
    const numbers = budget === undefined ? {} : { budget: numbersOf(budget) }
    if (code === TOO_MANY_REQUESTS) {
      run.refusals++
      run.waitsFor ??= { message: details?.causes?.[0]?.message ?? message, ...numbers }
      events.at(events.now + RETRY_SECONDS, () => this.attemptEviction(run), true)
      return
    }
    const text = `error when evicting ${quotedPod(pod)}: ${message}`
    run.block =
      code === INTERNAL_ERROR
        ? { reason: "several-budgets", message: text, why: this.explainSeveralBudgets(run), ...numbers }
        : { reason: "refused", message: text, ...numbers }
    run.settledAt = events.now
  }

  private explainSeveralBudgets({ pod }: PodRun): string {
    const names = this.cluster.ledger.selecting(pod).map(({ metadata }) => metadata.name ?? "")
    return `Budgets ${names.join(" and ")} select it; kubectl does not retry. Change them so that only one selects it.`
  }

  /** Starts the termination of a pod, and plans when kubectl would stop waiting for it. */
  private terminate(run: PodRun): void {
    const { events } = this.cluster
    run.leaves = events.now
    this.cluster.terminate(run.planned, run.graceSeconds, this.options.gracePeriodSeconds === 0)
    const { skipWaitForDeleteTimeoutSeconds: seconds = 0 } = this.options
    const deletedAt = run.planned.pod.metadata.deletionTimestamp
    if (seconds > 0 && deletedAt !== undefined) {
      // The pod is skipped at the first whole second that is more than `seconds` after its deletion timestamp.
      const until = events.now + (parseTime(deletedAt) - this.cluster.nowMs) / 1000 + seconds + 1
      events.at(until, () => {
        if (run.settledAt !== undefined || run.planned.isGone) return
        run.settledAt = this.polledAt(run, until)
        const why = this.cluster.explainStuckTermination(run.planned) ?? "it is still terminating"
        run.leftBehind = `${why}; kubectl stops waiting ${seconds}s after its deletion timestamp`
      })
    }
  }

  /** When kubectl sees a change of `at`: it polls once a second, for the first time when the pod is deleted. */
  private polledAt({ leaves = 0 }: PodRun, at: number): number {
    return leaves + Math.ceil(at - leaves)
  }

  /** Whether kubectl still waits for the pod. Sets `settledAt` if the pod is gone. */
  private isPending(run: PodRun): boolean {
    const { goneAt } = run.planned
    if (run.settledAt === undefined && goneAt !== undefined) run.settledAt = this.polledAt(run, goneAt)
    return run.settledAt === undefined
  }

  /** Runs events until kubectl is finished with all pods, or can never be. */
  private waitFor(toDelete: ReadonlyArray<PodRun>): NodeOutcome {
    const { events } = this.cluster
    let pending = toDelete.filter((run) => this.isPending(run))
    while (pending.length > 0) {
      const { version } = this.cluster
      const cannotChange = ({ leaves, triedVersion }: PodRun) => leaves !== undefined || triedVersion === version
      if (!events.hasChanges && pending.every(cannotChange)) {
        return this.blockForever(pending)
      }
      if (events.nextAt > this.deadline) return this.timeOut(pending)
      events.step()
      pending = pending.filter((run) => this.isPending(run))
    }
    events.advanceTo(toDelete.reduce((latest, { settledAt = 0 }) => Math.max(latest, settledAt), this.startsAt))
    if (events.now > this.deadline) events.advanceTo(this.deadline)
    return toDelete.some(({ block }) => block !== undefined) ? "failed" : "drained"
  }

  /** Records why each pod is never removed, when no further event can change that. */
  private blockForever(pending: ReadonlyArray<PodRun>): NodeOutcome {
    for (const run of pending) run.block = this.permanentBlock(run)
    if (!Number.isFinite(this.deadline)) return "stuck"
    this.cluster.events.advanceTo(this.deadline)
    return "timed-out"
  }

  private permanentBlock({ leaves, planned }: PodRun): Block {
    const { ledger } = this.cluster
    if (leaves !== undefined) {
      return { reason: "terminating", message: this.cluster.explainStuckTermination(planned) ?? "does not end" }
    }
    const answer = this.dependencies.decideEviction(planned.pod, ledger.inNamespaceOf(planned.pod))
    const status = answer._tag === "Refuse" ? answer.status : undefined
    const budget = ledger.firstSelecting(planned.pod)
    return {
      reason: "budget",
      message: status?.details?.causes?.[0]?.message ?? status?.message ?? "",
      ...(budget === undefined
        ? {}
        : {
            why: explainRefusal(planned.pod, budget, this.cluster.selectedBy(budget)),
            budget: numbersOf(budget)
          })
    }
  }

  private timeOut(pending: ReadonlyArray<PodRun>): NodeOutcome {
    const timeout = formatDuration((this.options.timeoutSeconds ?? 0) * 1000)
    for (const run of pending) {
      const { name, namespace } = run.pod.metadata
      const message =
        run.leaves === undefined
          ? `error when evicting ${quotedPod(run.pod)}: global timeout reached: ${timeout}`
          : `error when waiting for pod ${JSON.stringify(name)} in namespace ${JSON.stringify(namespace)} to terminate: context deadline exceeded`
      run.block = { reason: "timeout", message }
    }
    this.cluster.events.advanceTo(this.deadline)
    return "timed-out"
  }
}
