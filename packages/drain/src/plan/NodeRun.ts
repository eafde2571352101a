import { formatDuration, type Pod, parseTime } from "@rollcall/api"
import { drainMessages } from "../PodFilters.ts"
import { type FilteredPod, type PodsContext, podsForDeletion } from "../podsForDeletion.ts"
import { numbersOf } from "./BudgetLedger.ts"
import type { Block, BudgetNumbers, NodeOutcome } from "./DrainPlan.ts"
import { explainRefusal, explainUncounted } from "./explainBudget.ts"
import { missingFlags } from "./missingFlags.ts"
import type { PlanCluster } from "./PlanCluster.ts"
import type { PlannedPod } from "./PlannedPod.ts"
import type { DrainPorts, PlanDrainOptions } from "./Snapshot.ts"

/** kubectl's pause between attempts at a pod whose budget refuses. */
export const RETRY_SECONDS = 5
const TOO_MANY_REQUESTS = 429
const INTERNAL_ERROR = 500

/** A pod of the node, and its course in this run. */
export interface PodRun {
  readonly planned: PlannedPod
  /** The pod when the node's drain started. */
  readonly pod: Pod
  readonly verdict: FilteredPod["verdict"]
  graceSeconds: number
  leaves: number | undefined
  refusals: number
  waitsFor: { readonly message: string; readonly budget?: BudgetNumbers } | undefined
  uncounted: string | undefined
  leftBehind: string | undefined
  block: Block | undefined
  /** When kubectl is finished with the pod. */
  settledAt: number | undefined
  triedAt: number
}

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

/** The reason for a refusal, by its text; a missing DaemonSet is reported with the API's text. */
const reasonOf = (message: string): Block["reason"] => {
  if (message === drainMessages.localStorageFatal) return "local-storage"
  return message === drainMessages.unmanagedFatal ? "unmanaged" : "daemon-set"
}

const placeOf = ({ metadata }: Pod): string =>
  `pods/${JSON.stringify(metadata.name)} -n ${JSON.stringify(metadata.namespace)}`

/** kubectl's drain of one node, in the plan's virtual time. Upstream: staging/src/k8s.io/kubectl/pkg/drain/drain.go. */
export class NodeRun {
  private readonly cluster: PlanCluster
  private readonly ports: DrainPorts
  private readonly options: PlanDrainOptions
  private readonly startsAt: number
  private readonly deadline: number
  private runs: ReadonlyArray<PodRun> = []

  constructor(cluster: PlanCluster, ports: DrainPorts, options: PlanDrainOptions) {
    this.cluster = cluster
    this.ports = ports
    this.options = options
    this.startsAt = cluster.events.now
    this.deadline = options.timeoutSeconds ? this.startsAt + options.timeoutSeconds : Number.POSITIVE_INFINITY
  }

  run(name: string): NodeResult {
    const found = this.cluster.on(name)
    const context: PodsContext = {
      ...this.options,
      nowMs: this.cluster.nowMs,
      daemonSetError: (namespace, set) =>
        this.cluster.hasDaemonSet(namespace, set)
          ? undefined
          : { notFound: true, message: `daemonsets.apps ${JSON.stringify(set)} not found` }
    }
    const candidates = found.map(({ pod }) => pod)
    const { errors, pods, warnings } = podsForDeletion(candidates, context)
    const byPod = new Map(found.map((planned) => [planned.pod, planned]))
    this.runs = pods.flatMap(({ pod, verdict }) => {
      const planned = byPod.get(pod)
      return planned === undefined ? [] : [this.podRun(planned, verdict)]
    })
    const outcome = errors.length > 0 ? "refused" : this.empty()
    const ends = outcome === "stuck" ? undefined : this.cluster.events.now
    const wants = errors.length > 0 ? missingFlags(candidates, context) : []
    return { name, starts: this.startsAt, ends, outcome, errors, warnings, wants, pods: this.runs }
  }

  private podRun(planned: PlannedPod, verdict: PodRun["verdict"]): PodRun {
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
          ? { reason: reasonOf(verdict.message), message: `cannot delete ${verdict.message}` }
          : undefined,
      settledAt: undefined,
      triedAt: -1
    }
  }

  private empty(): NodeOutcome {
    const going = this.runs.filter(({ verdict }) => verdict.delete)
    for (const run of going) {
      if (this.options.disableEviction === true) this.leave(run)
      else this.attempt(run)
    }
    return this.await(going)
  }

  private attempt(run: PodRun): void {
    const { events, ledger, version } = this.cluster
    if (run.settledAt !== undefined || run.leaves !== undefined) return
    if (events.now >= this.deadline) return
    if (run.planned.isGone) {
      run.settledAt = events.now
      return
    }
    run.triedAt = version
    const { pod } = run.planned
    const answer = this.ports.decideEviction(pod, ledger.near(pod))
    const budget = ledger.of(pod)
    if (answer._tag !== "Refuse") {
      if (answer._tag === "Delete" && budget !== undefined) run.uncounted = explainUncounted(pod, budget)
      this.leave(run)
      return
    }
    const { code, details, message = "" } = answer.status
    const numbers = budget === undefined ? {} : { budget: numbersOf(budget) }
    if (code === TOO_MANY_REQUESTS) {
      run.refusals++
      run.waitsFor ??= { message: details?.causes?.[0]?.message ?? message, ...numbers }
      events.at(events.now + RETRY_SECONDS, () => this.attempt(run), true)
      return
    }
    const text = `error when evicting ${placeOf(pod)}: ${message}`
    run.block =
      code === INTERNAL_ERROR
        ? { reason: "several-budgets", message: text, why: this.explainSeveralBudgets(run), ...numbers }
        : { reason: "refused", message: text, ...numbers }
    run.settledAt = events.now
  }

  private explainSeveralBudgets({ pod }: PodRun): string {
    const names = this.cluster.ledger.allOf(pod).map(({ metadata }) => metadata.name ?? "")
    return `Budgets ${names.join(" and ")} select it; kubectl does not retry. Change them so that only one selects it.`
  }

  private leave(run: PodRun): void {
    const { events } = this.cluster
    run.leaves = events.now
    this.cluster.terminate(run.planned, run.graceSeconds, this.options.gracePeriodSeconds === 0)
    const { skipWaitForDeleteTimeoutSeconds: seconds = 0 } = this.options
    const deletedAt = run.planned.pod.metadata.deletionTimestamp
    if (seconds > 0 && deletedAt !== undefined) {
      const until = events.now + (parseTime(deletedAt) - this.cluster.nowMs) / 1000 + seconds + 1
      events.at(until, () => {
        if (run.settledAt !== undefined || run.planned.isGone) return
        run.settledAt = this.polledAt(run, until)
        const why = this.cluster.explainStuckTermination(run.planned) ?? "it is still terminating"
        run.leftBehind = `${why}; kubectl stops waiting ${seconds}s after its deletion timestamp`
      })
    }
  }

  /** When kubectl sees that the pod is deleted: it polls once a second, at once for the first time. */
  private polledAt({ leaves = 0 }: PodRun, at: number): number {
    return leaves + Math.ceil(at - leaves)
  }

  private isOpen(run: PodRun): boolean {
    const { goneAt } = run.planned
    if (run.settledAt === undefined && goneAt !== undefined) run.settledAt = this.polledAt(run, goneAt)
    return run.settledAt === undefined
  }

  private await(going: ReadonlyArray<PodRun>): NodeOutcome {
    const { events } = this.cluster
    let open = going.filter((run) => this.isOpen(run))
    while (open.length > 0) {
      const { version } = this.cluster
      if (!events.hasProgress && open.every(({ leaves, triedAt }) => leaves !== undefined || triedAt === version)) {
        return this.giveUp(open)
      }
      if (events.nextAt > this.deadline) return this.timeOut(open)
      events.step()
      open = open.filter((run) => this.isOpen(run))
    }
    events.advanceTo(going.reduce((latest, { settledAt = 0 }) => Math.max(latest, settledAt), this.startsAt))
    if (events.now > this.deadline) events.advanceTo(this.deadline)
    return going.some(({ block }) => block !== undefined) ? "failed" : "drained"
  }

  /** Records a block for each open pod, when no event can change anything any more. */
  private giveUp(open: ReadonlyArray<PodRun>): NodeOutcome {
    for (const run of open) run.block = this.wall(run)
    if (!Number.isFinite(this.deadline)) return "stuck"
    this.cluster.events.advanceTo(this.deadline)
    return "timed-out"
  }

  private wall({ leaves, planned }: PodRun): Block {
    const { ledger } = this.cluster
    if (leaves !== undefined) {
      return { reason: "terminating", message: this.cluster.explainStuckTermination(planned) ?? "does not end" }
    }
    const answer = this.ports.decideEviction(planned.pod, ledger.near(planned.pod))
    const status = answer._tag === "Refuse" ? answer.status : undefined
    const budget = ledger.of(planned.pod)
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

  private timeOut(open: ReadonlyArray<PodRun>): NodeOutcome {
    const timeout = formatDuration((this.options.timeoutSeconds ?? 0) * 1000)
    for (const run of open) {
      const { name, namespace } = run.pod.metadata
      const message =
        run.leaves === undefined
          ? `error when evicting ${placeOf(run.pod)}: global timeout reached: ${timeout}`
          : `error when waiting for pod ${JSON.stringify(name)} in namespace ${JSON.stringify(namespace)} to terminate: context deadline exceeded`
      run.block = { reason: "timeout", message }
    }
    this.cluster.events.advanceTo(this.deadline)
    return "timed-out"
  }
}
