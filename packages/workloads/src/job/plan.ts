import { formatTime, type Job, type JobStatus, type Pod } from "@rollcall/api"
import { isPodActive } from "../podState.ts"
import { unlessZero } from "../unlessZero.ts"
import { type Accounts, accountsOf, countReleased } from "./accounts.ts"
import { type Failures, failuresAfter } from "./backoff.ts"
import { suspensionOf, withFinalCondition, withTargetCondition } from "./conditions.ts"
import { type Counts, countsOf, podsAwaitingReplacement } from "./ended.ts"
import type { FailureAction } from "./failurePolicy.ts"
import { isTracked, type NewPod } from "./jobPods.ts"
import { isTerminating, noChanges, type PodChanges, podChangesOf } from "./moves.ts"
import { selectToCount } from "./takeIn.ts"
import { completionOf, deadlineOf, endingOf, isReadyPod, type Verdict } from "./verdict.ts"

/** The shortest wait for a backoff. Upstream: SyncJobBatchPeriod. */
const MIN_BACKOFF_WAIT_MS = 1000

/** What a sync of a job depends on. */
export interface JobInput {
  readonly job: Job
  /** All pods of the job. Finalizers that were removed already are left out, even if the cached pod still has them. */
  readonly pods: ReadonlyArray<Pod>
  readonly failures: Failures
  /**
   * Whether the cache shows all pods that were created and deleted. If not, none is created or deleted, except for a
   * finished job.
   */
  readonly isSettled: boolean
  readonly nowMs: number
  /** Whether a job that is suspended has no start time, so that its scheduling directives may change. */
  readonly forgetsStart?: boolean
}

/** What a sync of a job does. */
export interface JobPlan {
  readonly create: ReadonlyArray<NewPod>
  readonly remove: ReadonlyArray<Pod>
  /** Whether pods are deleted because the job has finished: they keep their finalizers until they are counted. */
  readonly ending: boolean
  /** Pods whose finalizers are to be removed after the accounts are written. */
  readonly release: ReadonlyArray<Pod>
  readonly accounts: Accounts
  /** Whether more pods have terminated than one status can list: the next sync counts the others. */
  readonly isFull: boolean
  /** The status without the accounts. */
  readonly state: JobStatus
  /** The result with which the job finishes once no pods are left. */
  readonly verdict: Verdict | undefined
  readonly failures: Failures
  /** Events to record once the status is written. */
  readonly events: ReadonlyArray<readonly [reason: string, message: string]>
  /** How often a rule of podFailurePolicy matched, by its action. */
  readonly byPolicy: ReadonlyMap<FailureAction, number>
  /** When the job must be synced again without an event; undefined if never. */
  readonly resyncAfterMs: number | undefined
}

/** The pods to create and delete, and whether the job has finished. */
interface Step {
  readonly changes: PodChanges
  /** Whether the job has finished, so that active pods are deleted. */
  readonly ending: boolean
  readonly verdict: Verdict | undefined
  /** Number of active pods after this step. */
  readonly active: number
}

const stepOf = (
  { isSettled, job, nowMs, pods }: JobInput,
  counts: Counts,
  lastFailed: LastFailed,
  failures: Failures
): Step => {
  const active = pods.filter(isPodActive)
  const ending = endingOf(job, counts, pods, nowMs)
  if (ending !== undefined) {
    // Pods that the cache does not show yet have to be deleted as well, before the job ends.
    const verdict = isSettled ? ending : undefined
    return { changes: { create: [], remove: active }, ending: true, verdict, active: 0 }
  }
  const mayChange = isSettled && job.metadata.deletionTimestamp === undefined
  const changes = mayChange ? podChangesOf({ job, pods, counts, failures, lastFailed, nowMs }) : noChanges
  // Upstream reports no active pods during a backoff.
  const remaining = changes.waitMs === undefined ? active.length - changes.remove.length + changes.create.length : 0
  return { changes, ending: false, verdict: completionOf(job, counts, remaining), active: remaining }
}

/** See `podsAwaitingReplacement`. */
type LastFailed = ReadonlyMap<number, Pod>

/**
 * The next step for an unfinished job. Pods are counted with the help of their finalizers: first the status lists
 * those that have terminated, then their finalizers are removed, then the numbers increase.
 * Upstream: pkg/controller/job/job_controller.go syncJob.
 */
export const jobPlan = (input: JobInput): JobPlan => {
  const { job, nowMs, pods } = input
  const withFinalizer = new Set(pods.filter(isTracked).map(({ metadata }) => metadata.uid ?? ""))
  const accounts = countReleased(job, accountsOf(job), (uid) => withFinalizer.has(uid))
  const counts = countsOf(job, accounts, pods)
  const lastFailed = podsAwaitingReplacement(job, counts, pods)
  const failures = failuresAfter(input.failures, counts.newlyTerminated.succeeded, counts.newlyTerminated.failed)
  const step = stepOf(input, counts, lastFailed, failures)
  const { changes, verdict } = step
  const isBeingDeleted = job.metadata.deletionTimestamp !== undefined
  const selection = selectToCount(job, accounts, counts, pods, {
    ending: isBeingDeleted || verdict !== undefined,
    failing: verdict?.failed === true,
    awaitingReplacement: new Set(lastFailed.values())
  })
  const state = stateOf(input, step)
  const deadlineMs = deadlineOf({ ...job, status: state.status }) - nowMs
  const waitMs = Math.min(
    changes.waitMs === undefined ? deadlineMs : Math.max(MIN_BACKOFF_WAIT_MS, changes.waitMs),
    deadlineMs
  )
  return {
    create: changes.create,
    remove: changes.remove,
    ending: step.ending,
    release: selection.release,
    accounts: selection.accounts,
    isFull: selection.isFull,
    byPolicy: selection.byPolicy,
    state: state.status,
    verdict,
    failures,
    events: state.events,
    resyncAfterMs: Number.isFinite(waitMs) && waitMs > 0 ? waitMs : undefined
  }
}

/** The plan without the pods that could not be created, which are not active. */
export const withoutMissing = (plan: JobPlan, missing: number): JobPlan => {
  if (missing === 0) return plan
  const { active = 0, ...state } = plan.state
  return { ...plan, state: { ...state, ...unlessZero("active", active - missing) } }
}

/** The status without the accounts, and the Events that go with it. */
const stateOf = (
  { forgetsStart, isSettled, job, nowMs, pods }: JobInput,
  { active, changes, ending, verdict }: Step
) => {
  const before = job.status?.conditions ?? []
  const isManaged = isSettled && !ending && verdict === undefined && job.metadata.deletionTimestamp === undefined
  const suspension = isManaged ? suspensionOf(job, before, nowMs) : undefined
  const conditions =
    verdict === undefined ? (suspension?.conditions ?? before) : withTargetCondition(before, verdict, nowMs)
  const starts = job.status?.startTime === undefined && job.spec.suspend !== true
  const kept = forgetsStart === true && suspension?.turn === "suspended" ? undefined : job.status?.startTime
  const startTime = starts || suspension?.turn === "resumed" ? formatTime(nowMs) : kept
  const removed = new Set(changes.remove)
  const status: JobStatus = {
    ...(conditions.length === 0 ? {} : { conditions }),
    ...(startTime === undefined ? {} : { startTime }),
    ...unlessZero("active", active),
    ready: pods.filter((pod) => isPodActive(pod) && isReadyPod(pod) && !removed.has(pod)).length,
    terminating: pods.filter(isTerminating).length + removed.size
  }
  return { status, events: suspension?.events ?? [] }
}

/** The status of a finished job, of which all pods have terminated and are counted. Upstream: enactJobFinished. */
export const finishedStatus = (status: JobStatus, verdict: Verdict, nowMs: number): JobStatus => ({
  ...status,
  conditions: withFinalCondition(status.conditions ?? [], verdict, nowMs),
  ...(verdict.failed ? {} : { completionTime: formatTime(nowMs) })
})
