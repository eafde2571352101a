import { formatDuration, type Pod, parseTime } from "@rollcall/api"
import { drainMessages } from "../PodFilters.ts"
import { type JudgedPod, type PodsContext, podsForDeletion } from "../podsForDeletion.ts"
import { numbersOf } from "./BudgetLedger.ts"
import type { Block, BudgetNumbers, NodeOutcome } from "./DrainPlan.ts"
import { whyItHolds, whyUncounted } from "./explainBudget.ts"
import { flagsThatHelp } from "./flagsThatHelp.ts"
import type { PlannedPod } from "./PlannedPod.ts"
import type { DrainPorts, PlanDrainOptions } from "./Snapshot.ts"
import type { World } from "./World.ts"

/** As kubectl: between attempts at a pod that a budget holds. */
export const RETRY_SECONDS = 5
const TOO_MANY_REQUESTS = 429
const INTERNAL_ERROR = 500

/** A pod of the node, and what came of it in this run. */
export interface PodRun {
  readonly planned: PlannedPod
  /** As it was when the node's turn came. */
  readonly pod: Pod
  readonly verdict: JudgedPod["verdict"]
  graceSeconds: number
  leaves: number | undefined
  refusals: number
  waitsFor: { readonly message: string; readonly budget?: BudgetNumbers } | undefined
  uncounted: string | undefined
  leftBehind: string | undefined
  block: Block | undefined
  /** kubectl has no more to do about it from then on. */
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

/** A refusal has nothing but its words; that a DaemonSet was not found comes in the API's. */
const reasonOf = (message: string): Block["reason"] => {
  if (message === drainMessages.localStorageFatal) return "local-storage"
  return message === drainMessages.unmanagedFatal ? "unmanaged" : "daemon-set"
}

const placeOf = ({ metadata }: Pod): string =>
  `pods/${JSON.stringify(metadata.name)} -n ${JSON.stringify(metadata.namespace)}`

/** kubectl's work at one node, in the time of a plan. Upstream: staging/src/k8s.io/kubectl/pkg/drain/drain.go. */
export class NodeRun {
  private readonly world: World
  private readonly ports: DrainPorts
  private readonly options: PlanDrainOptions
  private readonly startsAt: number
  private readonly deadline: number
  private runs: ReadonlyArray<PodRun> = []

  constructor(world: World, ports: DrainPorts, options: PlanDrainOptions) {
    this.world = world
    this.ports = ports
    this.options = options
    this.startsAt = world.agenda.now
    this.deadline = options.timeoutSeconds ? this.startsAt + options.timeoutSeconds : Number.POSITIVE_INFINITY
  }

  run(name: string): NodeResult {
    const found = this.world.on(name)
    const context: PodsContext = {
      ...this.options,
      nowMs: this.world.nowMs,
      daemonSetError: (namespace, set) =>
        this.world.hasDaemonSet(namespace, set)
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
    const ends = outcome === "stuck" ? undefined : this.world.agenda.now
    const wants = errors.length > 0 ? flagsThatHelp(candidates, context) : []
    return { name, starts: this.startsAt, ends, outcome, errors, warnings, wants, pods: this.runs }
  }

  private podRun(planned: PlannedPod, verdict: PodRun["verdict"]): PodRun {
    return {
      planned,
      pod: planned.pod,
      verdict,
      graceSeconds: this.world.graceOf(planned.pod, this.options.gracePeriodSeconds),
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
    const { agenda, ledger, version } = this.world
    if (run.settledAt !== undefined || run.leaves !== undefined) return
    if (agenda.now >= this.deadline) return
    if (run.planned.isGone) {
      run.settledAt = agenda.now
      return
    }
    run.triedAt = version
    const { pod } = run.planned
    const answer = this.ports.decideEviction(pod, ledger.near(pod))
    const budget = ledger.of(pod)
    if (answer._tag !== "Refuse") {
      if (answer._tag === "Delete" && budget !== undefined) run.uncounted = whyUncounted(pod, budget)
      this.leave(run)
      return
    }
    const { code, details, message = "" } = answer.status
    const numbers = budget === undefined ? {} : { budget: numbersOf(budget) }
    if (code === TOO_MANY_REQUESTS) {
      run.refusals++
      run.waitsFor ??= { message: details?.causes?.[0]?.message ?? message, ...numbers }
      agenda.at(agenda.now + RETRY_SECONDS, () => this.attempt(run), true)
      return
    }
    const text = `error when evicting ${placeOf(pod)}: ${message}`
    run.block =
      code === INTERNAL_ERROR
        ? { reason: "several-budgets", message: text, why: this.whySeveral(run), ...numbers }
        : { reason: "refused", message: text, ...numbers }
    run.settledAt = agenda.now
  }

  private whySeveral({ pod }: PodRun): string {
    const names = this.world.ledger.allOf(pod).map(({ metadata }) => metadata.name ?? "")
    return `Budgets ${names.join(" and ")} select it; kubectl does not try again. All but one have to stop selecting it.`
  }

  private leave(run: PodRun): void {
    const { agenda } = this.world
    run.leaves = agenda.now
    this.world.terminate(run.planned, run.graceSeconds, this.options.gracePeriodSeconds === 0)
    const { skipWaitForDeleteTimeoutSeconds: seconds = 0 } = this.options
    const deletedAt = run.planned.pod.metadata.deletionTimestamp
    if (seconds > 0 && deletedAt !== undefined) {
      const until = agenda.now + (parseTime(deletedAt) - this.world.nowMs) / 1000 + seconds + 1
      agenda.at(until, () => {
        if (run.settledAt !== undefined || run.planned.isGone) return
        run.settledAt = this.polledAt(run, until)
        const why = this.world.whyItStays(run.planned) ?? "it is still terminating"
        run.leftBehind = `${why}; kubectl waits no longer than ${seconds}s past its time`
      })
    }
  }

  /** kubectl looks once a second, for the first time at once. */
  private polledAt({ leaves = 0 }: PodRun, at: number): number {
    return leaves + Math.ceil(at - leaves)
  }

  private isOpen(run: PodRun): boolean {
    const { goneAt } = run.planned
    if (run.settledAt === undefined && goneAt !== undefined) run.settledAt = this.polledAt(run, goneAt)
    return run.settledAt === undefined
  }

  private await(going: ReadonlyArray<PodRun>): NodeOutcome {
    const { agenda } = this.world
    let open = going.filter((run) => this.isOpen(run))
    while (open.length > 0) {
      const { version } = this.world
      if (!agenda.hasProgress && open.every(({ leaves, triedAt }) => leaves !== undefined || triedAt === version)) {
        return this.giveUp(open)
      }
      if (agenda.nextAt > this.deadline) return this.timeOut(open)
      agenda.step()
      open = open.filter((run) => this.isOpen(run))
    }
    agenda.advanceTo(going.reduce((latest, { settledAt = 0 }) => Math.max(latest, settledAt), this.startsAt))
    if (agenda.now > this.deadline) agenda.advanceTo(this.deadline)
    return going.some(({ block }) => block !== undefined) ? "failed" : "drained"
  }

  /** Nothing will change any more. */
  private giveUp(open: ReadonlyArray<PodRun>): NodeOutcome {
    for (const run of open) run.block = this.wall(run)
    if (!Number.isFinite(this.deadline)) return "stuck"
    this.world.agenda.advanceTo(this.deadline)
    return "timed-out"
  }

  private wall({ leaves, planned }: PodRun): Block {
    const { ledger } = this.world
    if (leaves !== undefined) {
      return { reason: "terminating", message: this.world.whyItStays(planned) ?? "does not end" }
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
            why: whyItHolds(planned.pod, budget, this.world.selectedBy(budget)),
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
    this.world.agenda.advanceTo(this.deadline)
    return "timed-out"
  }
}
