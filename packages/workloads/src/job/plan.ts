import { formatTime, type Job, type JobStatus, type Pod } from "@rollcall/api"
import { isPodActive } from "../podState.ts"
import { unlessZero } from "../unlessZero.ts"
import { type Accounts, accountsOf, settle } from "./accounts.ts"
import { type Failures, failuresAfter } from "./backoff.ts"
import { suspensionOf, withFinalCondition, withTargetCondition } from "./conditions.ts"
import { type Counts, countsOf, heldForNext } from "./ended.ts"
import type { FailureAction } from "./failurePolicy.ts"
import { isTracked, type NewPod } from "./jobPods.ts"
import { isTerminating, type Moves, movesOf, noMoves } from "./moves.ts"
import { takeIn } from "./takeIn.ts"
import { completionOf, deadlineOf, endingOf, isReadyPod, type Verdict } from "./verdict.ts"

/** The shortest wait for a backoff. Upstream: SyncJobBatchPeriod. */
const LEAST_WAIT_MS = 1000

export interface JobInput {
  readonly job: Job
  /** All pods of the job, without finalizers that were removed but are still in the cache. */
  readonly pods: ReadonlyArray<Pod>
  readonly failures: Failures
  /** False while expected pods have not been observed: none is created or deleted then, except for a finished job. */
  readonly settled: boolean
  readonly nowMs: number
}

export interface JobPlan {
  readonly create: ReadonlyArray<NewPod>
  readonly remove: ReadonlyArray<Pod>
  /** Pods are deleted because the job has finished: they keep their finalizers until they are counted. */
  readonly ending: boolean
  /** Pods whose finalizers are to be removed after the accounts are written. */
  readonly release: ReadonlyArray<Pod>
  readonly accounts: Accounts
  /** More pods have terminated than one status can list. */
  readonly isFull: boolean
  /** The status without the accounts. */
  readonly state: JobStatus
  /** The result with which the job finishes once no pods are left. */
  readonly verdict: Verdict | undefined
  readonly failures: Failures
  /** Events to record once the status is written. */
  readonly events: ReadonlyArray<readonly [reason: string, message: string]>
  readonly byPolicy: ReadonlyMap<FailureAction, number>
  readonly lookAgainAfterMs: number | undefined
}

interface Step {
  readonly moves: Moves
  /** Active pods must be deleted: the job has finished. */
  readonly ending: boolean
  readonly verdict: Verdict | undefined
  /** Number of active pods after this step. */
  readonly active: number
}

const stepOf = ({ job, nowMs, pods, settled }: JobInput, counts: Counts, held: Held, failures: Failures): Step => {
  const active = pods.filter(isPodActive)
  const ending = endingOf(job, counts, pods, nowMs)
  if (ending !== undefined) {
    // A pod that has not been observed yet may be surplus.
    const verdict = settled ? ending : undefined
    return { moves: { create: [], remove: active }, ending: true, verdict, active: 0 }
  }
  const mayMove = settled && job.metadata.deletionTimestamp === undefined
  const moves = mayMove ? movesOf({ job, pods, counts, failures, held, nowMs }) : noMoves
  // Upstream reports no active pods during a backoff.
  const left = moves.waitMs === undefined ? active.length - moves.remove.length + moves.create.length : 0
  return { moves, ending: false, verdict: completionOf(job, counts, left), active: left }
}

type Held = ReadonlyMap<number, Pod>

/**
 * The next step for an unfinished job. Pods are counted with the help of their finalizers: first the status lists
 * those that have terminated, then their finalizers are removed, then the numbers increase.
 * Upstream: pkg/controller/job/job_controller.go syncJob.
 */
export const jobPlan = (input: JobInput): JobPlan => {
  const { job, nowMs, pods } = input
  const withFinalizer = new Set(pods.filter(isTracked).map(({ metadata }) => metadata.uid ?? ""))
  const booked = settle(job, accountsOf(job), (uid) => withFinalizer.has(uid))
  const counts = countsOf(job, booked, pods)
  const held = heldForNext(job, counts, pods)
  const failures = failuresAfter(input.failures, counts.news.succeeded, counts.news.failed)
  const step = stepOf(input, counts, held, failures)
  const { moves, verdict } = step
  const isEnding = job.metadata.deletionTimestamp !== undefined
  const taken = takeIn(job, booked, counts, pods, {
    ending: isEnding || verdict !== undefined,
    failing: verdict?.failed === true,
    held: new Set(held.values())
  })
  const state = stateOf(input, step)
  const deadlineMs = deadlineOf({ ...job, status: state.status }) - nowMs
  const waitMs = Math.min(moves.waitMs === undefined ? deadlineMs : Math.max(LEAST_WAIT_MS, moves.waitMs), deadlineMs)
  return {
    create: moves.create,
    remove: moves.remove,
    ending: step.ending,
    release: taken.release,
    accounts: taken.accounts,
    isFull: taken.isFull,
    byPolicy: taken.byPolicy,
    state: state.status,
    verdict,
    failures,
    events: state.events,
    lookAgainAfterMs: Number.isFinite(waitMs) && waitMs > 0 ? waitMs : undefined
  }
}

const stateOf = ({ job, nowMs, pods, settled }: JobInput, { active, ending, moves, verdict }: Step) => {
  const before = job.status?.conditions ?? []
  const isManaged = settled && !ending && verdict === undefined && job.metadata.deletionTimestamp === undefined
  const suspension = isManaged ? suspensionOf(job, before, nowMs) : undefined
  const conditions =
    verdict === undefined ? (suspension?.conditions ?? before) : withTargetCondition(before, verdict, nowMs)
  const starts = job.status?.startTime === undefined && job.spec.suspend !== true
  const startTime = starts || suspension?.resumed === true ? formatTime(nowMs) : job.status?.startTime
  const removed = new Set(moves.remove)
  const status: JobStatus = {
    ...(conditions.length === 0 ? {} : { conditions }),
    ...(startTime === undefined ? {} : { startTime }),
    ...unlessZero("active", active),
    ready: pods.filter((pod) => isPodActive(pod) && isReadyPod(pod) && !removed.has(pod)).length,
    terminating: pods.filter(isTerminating).length + removed.size
  }
  return { status, events: suspension?.events ?? [] }
}

/** The status of a finished job: no active or terminating pods, all counted. Upstream: enactJobFinished. */
export const finishedStatus = (status: JobStatus, verdict: Verdict, nowMs: number): JobStatus => ({
  ...status,
  conditions: withFinalCondition(status.conditions ?? [], verdict, nowMs),
  ...(verdict.failed ? {} : { completionTime: formatTime(nowMs) })
})
