import { formatTime, type Job, type JobStatus, type Pod } from "@rollcall/api"
import { isPodActive } from "../podState.ts"
import { unlessZero } from "../unlessZero.ts"
import { type Accounts, accountsOf, settle } from "./accounts.ts"
import { type Failures, failuresAfter } from "./backoff.ts"
import { sayingEnd, sayingTarget, suspensionOf } from "./conditions.ts"
import { type Counts, countsOf, heldForNext } from "./ended.ts"
import type { FailureAction } from "./failurePolicy.ts"
import { isTracked, type NewPod } from "./jobPods.ts"
import { isTerminating, type Moves, movesOf, noMoves } from "./moves.ts"
import { takeIn } from "./takeIn.ts"
import { completionOf, deadlineOf, endingOf, isReadyPod, type Verdict } from "./verdict.ts"

/** Upstream: SyncJobBatchPeriod: no wait for a back-off is shorter. */
const LEAST_WAIT_MS = 1000

export interface JobInput {
  readonly job: Job
  /** All of the job's, finalizers that were taken off and are not seen off left out. */
  readonly pods: ReadonlyArray<Pod>
  readonly failures: Failures
  /** False while pods that were asked for have not been seen: none is made or removed then, but by a job that is over. */
  readonly settled: boolean
  readonly nowMs: number
}

export interface JobPlan {
  readonly create: ReadonlyArray<NewPod>
  readonly remove: ReadonlyArray<Pod>
  /** Pods are removed because the job is over: they keep their finalizers until they are counted. */
  readonly ending: boolean
  /** To be let go of after the accounts are written. */
  readonly release: ReadonlyArray<Pod>
  readonly accounts: Accounts
  /** More pods have ended than could be taken in. */
  readonly isFull: boolean
  /** The status but for the accounts. */
  readonly state: JobStatus
  /** Why the job is over as soon as nothing is left of it. */
  readonly verdict: Verdict | undefined
  readonly failures: Failures
  /** Events to record once the status is written. */
  readonly tell: ReadonlyArray<readonly [reason: string, message: string]>
  readonly byPolicy: ReadonlyMap<FailureAction, number>
  readonly lookAgainAfterMs: number | undefined
}

interface Step {
  readonly moves: Moves
  /** The pods that run must go: the job is over. */
  readonly ending: boolean
  readonly verdict: Verdict | undefined
  /** Pods at work after this step. */
  readonly active: number
}

const stepOf = ({ job, nowMs, pods, settled }: JobInput, counts: Counts, held: Held, failures: Failures): Step => {
  const active = pods.filter(isPodActive)
  const ending = endingOf(job, counts, pods, nowMs)
  if (ending !== undefined) {
    // A pod that is not in sight yet may be left over.
    const verdict = settled ? ending : undefined
    return { moves: { create: [], remove: active }, ending: true, verdict, active: 0 }
  }
  const mayMove = settled && job.metadata.deletionTimestamp === undefined
  const moves = mayMove ? movesOf({ job, pods, counts, failures, held, nowMs }) : noMoves
  // Upstream says that none is active while it waits.
  const left = moves.waitMs === undefined ? active.length - moves.remove.length + moves.create.length : 0
  return { moves, ending: false, verdict: completionOf(job, counts, left), active: left }
}

type Held = ReadonlyMap<number, Pod>

/**
 * What to do next for a job that is not over. Pods are counted by way of their finalizers: first the status names those that have
 * ended, then they are let go, then the numbers rise. Upstream: pkg/controller/job/job_controller.go syncJob.
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
    tell: state.tell,
    lookAgainAfterMs: Number.isFinite(waitMs) && waitMs > 0 ? waitMs : undefined
  }
}

const stateOf = ({ job, nowMs, pods, settled }: JobInput, { active, ending, moves, verdict }: Step) => {
  const before = job.status?.conditions ?? []
  const isManaged = settled && !ending && verdict === undefined && job.metadata.deletionTimestamp === undefined
  const suspension = isManaged ? suspensionOf(job, before, nowMs) : undefined
  const conditions = verdict === undefined ? (suspension?.conditions ?? before) : sayingTarget(before, verdict, nowMs)
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
  return { status, tell: suspension?.tell ?? [] }
}

/** The status of a job that is over: nothing at work, nothing on its way out, all counted. Upstream: enactJobFinished. */
export const finishedStatus = (status: JobStatus, verdict: Verdict, nowMs: number): JobStatus => ({
  ...status,
  conditions: sayingEnd(status.conditions ?? [], verdict, nowMs),
  ...(verdict.failed ? {} : { completionTime: formatTime(nowMs) })
})
