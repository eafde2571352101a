import { formatTime, isPodTerminal, type Job, type JobCondition, type JobStatus, type Pod } from "@rollcall/api"
import { isPodActive } from "../podState.ts"
import { unlessZero } from "../unlessZero.ts"
import { type Accounts, accountsOf, settle, succeededIn, type Taken, takeIn } from "./accounts.ts"
import { judgeFailure } from "./failurePolicy.ts"
import { endOf, hasFailed, indexOf, isIndexed, isTracked, replacesOnlyFailed } from "./jobPods.ts"
import { deadlineOf, failureOf, isReadyPod, successOf, type Verdict } from "./verdict.ts"

/** Upstream: DefaultJobPodFailureBackOff, MaxJobPodFailureBackOff, MaxPodCreateDeletePerSync. */
const FIRST_BACKOFF_MS = 10_000
const MOST_BACKOFF_MS = 600_000
const MOST_AT_ONCE = 500

/** Failures in a row, and the last of them: after each the next pod waits twice as long. */
export interface Failures {
  readonly count: number
  readonly lastMs: number
}

export interface JobInput {
  readonly job: Job
  /** All of the job's, finalizers that were taken off and are not seen off left out. */
  readonly pods: ReadonlyArray<Pod>
  readonly failures: Failures
  /** False while pods that were asked for have not been seen: none is made or removed then. */
  readonly settled: boolean
  readonly nowMs: number
}

export interface JobPlan {
  /** One entry a pod to make, with its completion index where there is one. */
  readonly create: ReadonlyArray<number | undefined>
  readonly remove: ReadonlyArray<Pod>
  /** To be let go of after the accounts are written. */
  readonly release: ReadonlyArray<Pod>
  readonly accounts: Accounts
  /** The status but for the accounts. */
  readonly state: JobStatus
  /** Why the job is over as soon as nothing is left of it. */
  readonly verdict: Verdict | undefined
  readonly failures: Failures
  /** Events to record once the status is written. */
  readonly tell: ReadonlyArray<readonly [reason: string, message: string]>
  readonly lookAgainAfterMs: number | undefined
}

const failuresAfter = ({ failures, nowMs }: JobInput, { news }: Taken): Failures => {
  const lastSuccessMs = Math.max(Number.NEGATIVE_INFINITY, ...news.succeeded.map((pod) => endOf(pod, nowMs)))
  const before = news.succeeded.length > 0 ? { count: 0, lastMs: failures.lastMs } : failures
  const ends = news.failed.map((pod) => endOf(pod, nowMs)).filter((at) => at > lastSuccessMs)
  return { count: before.count + ends.length, lastMs: Math.max(before.lastMs, ...ends) }
}

/** When the next pod may be made. Upstream: pkg/controller/job/backoff_utils.go getRemainingTime. */
const backoffUntil = ({ count, lastMs }: Failures): number =>
  count === 0 ? Number.NEGATIVE_INFINITY : lastMs + Math.min(FIRST_BACKOFF_MS * 2 ** (count - 1), MOST_BACKOFF_MS)

/** How many are to be at work. Upstream: manageJob. */
const wantedActive = (job: Job, accounts: Accounts, active: number): number => {
  const { completions, parallelism = 1 } = job.spec
  const succeeded = succeededIn(accounts, job)
  if (completions === undefined) return succeeded > 0 ? Math.min(active, parallelism) : parallelism
  const left = completions - succeeded - accounts.failedIndexes.size
  return Math.max(0, Math.min(left, parallelism))
}

/** The lowest indexes that nobody has done or is at. Upstream: firstPendingIndexes. */
const pendingIndexes = (job: Job, accounts: Accounts, busy: ReadonlySet<number>, count: number) => {
  const found: Array<number> = []
  for (let index = 0; index < (job.spec.completions ?? 0) && found.length < count; index++) {
    if (!accounts.completed.has(index) && !accounts.failedIndexes.has(index) && !busy.has(index)) found.push(index)
  }
  return found
}

/** Pods that are at an index that is done, or another is at; then those that have come least far. */
const surplus = (job: Job, accounts: Accounts, active: ReadonlyArray<Pod>, count: number): ReadonlyArray<Pod> => {
  const needless = new Set<Pod>()
  if (isIndexed(job)) {
    const seen = new Set<number>([...accounts.completed, ...accounts.failedIndexes])
    for (const pod of active) {
      const index = indexOf(job, pod)
      if (index === undefined || seen.has(index)) needless.add(pod)
      else seen.add(index)
    }
  }
  const order = (pod: Pod) => (pod.status?.phase === "Running" ? 1 : 0) + (isReadyPod(pod) ? 1 : 0)
  const others = active.filter((pod) => !needless.has(pod)).sort((left, right) => order(left) - order(right))
  return [...needless, ...others.slice(0, Math.max(0, count - needless.size))]
}

interface Moves {
  readonly create: ReadonlyArray<number | undefined>
  readonly remove: ReadonlyArray<Pod>
  readonly waitMs?: number
}

const nothing: Moves = { create: [], remove: [] }

const movesOf = ({ job, nowMs, pods }: JobInput, accounts: Accounts, failures: Failures): Moves => {
  const active = pods.filter(isPodActive)
  if (job.spec.suspend === true) return { create: [], remove: active.slice(0, MOST_AT_ONCE) }
  const wanted = wantedActive(job, accounts, active.length)
  const remove = surplus(job, accounts, active, Math.max(0, active.length - wanted)).slice(0, MOST_AT_ONCE)
  if (remove.length > 0) return { create: [], remove }
  const terminating = pods.filter((pod) => pod.metadata.deletionTimestamp !== undefined && !isPodTerminal(pod))
  const standing = replacesOnlyFailed(job) ? [...active, ...terminating] : active
  const missing = Math.min(wanted - standing.length, MOST_AT_ONCE)
  if (missing <= 0) return nothing
  const waitMs = backoffUntil(failures) - nowMs
  if (waitMs > 0) return { ...nothing, waitMs }
  if (!isIndexed(job)) return { create: Array.from({ length: missing }, () => undefined), remove: [] }
  const busy = new Set(standing.flatMap((pod) => indexOf(job, pod) ?? []))
  return { create: pendingIndexes(job, accounts, busy, missing), remove: [] }
}

/** Indexes whose pods have failed more often than each may. Upstream: calculateFailedIndexes. */
const withFailedIndexes = ({ job, pods }: JobInput, accounts: Accounts): Accounts => {
  const { backoffLimitPerIndex } = job.spec
  if (backoffLimitPerIndex === undefined || !isIndexed(job)) return accounts
  const failed = new Map<number, number>()
  for (const pod of pods) {
    const index = indexOf(job, pod)
    if (index === undefined || !hasFailed(job, pod) || judgeFailure(job, pod).action === "Ignore") continue
    failed.set(index, (failed.get(index) ?? 0) + 1)
  }
  const failedIndexes = new Set(accounts.failedIndexes)
  for (const [index, count] of failed) if (count > backoffLimitPerIndex) failedIndexes.add(index)
  return { ...accounts, failedIndexes }
}

type Told = JobPlan["tell"]

const setCondition = (
  conditions: ReadonlyArray<JobCondition>,
  condition: Pick<JobCondition, "type" | "status" | "reason" | "message">,
  nowMs: number
): ReadonlyArray<JobCondition> => {
  const known = conditions.find(({ type }) => type === condition.type)
  if (known?.status === condition.status) return conditions
  const at = formatTime(nowMs)
  const next = { ...condition, lastProbeTime: at, lastTransitionTime: at }
  return known === undefined ? [...conditions, next] : conditions.map((other) => (other === known ? next : other))
}

/** Notes that the job is suspended or no longer so. */
const suspension = (
  { spec, status }: Job,
  conditions: ReadonlyArray<JobCondition>,
  nowMs: number
): { readonly conditions: ReadonlyArray<JobCondition>; readonly tell: Told; readonly resumed: boolean } => {
  const suspended = conditions.find(({ type }) => type === "Suspended")
  if (spec.suspend === true) {
    const next = { type: "Suspended", status: "True", reason: "JobSuspended", message: "Job suspended" } as const
    const changed = setCondition(conditions, next, nowMs)
    return { conditions: changed, tell: changed === conditions ? [] : [["Suspended", "Job suspended"]], resumed: false }
  }
  if (suspended?.status !== "True") return { conditions, tell: [], resumed: status?.startTime === undefined }
  const next = { type: "Suspended", status: "False", reason: "JobResumed", message: "Job resumed" } as const
  return { conditions: setCondition(conditions, next, nowMs), tell: [["Resumed", "Job resumed"]], resumed: true }
}

/** Says what the job is heading for. Its end is said when nothing of it is left. */
const target = (verdict: Verdict): Pick<JobCondition, "type" | "status" | "reason" | "message"> => ({
  type: verdict.failed ? "FailureTarget" : "SuccessCriteriaMet",
  status: "True",
  reason: verdict.reason,
  message: verdict.message
})

/**
 * What to do next for a job that is not over. Pods are counted by way of their finalizers: first the status names those that have
 * ended, then they are let go, then the numbers rise. Upstream: pkg/controller/job/job_controller.go syncJob.
 */
export const jobPlan = (input: JobInput): JobPlan => {
  const { job, nowMs, pods, settled } = input
  const held = new Set(pods.filter(isTracked).map(({ metadata }) => metadata.uid ?? ""))
  const booked = settle(job, accountsOf(job.status), (uid) => held.has(uid))
  const first = takeIn(job, booked, pods, false)
  const counted = withFailedIndexes(input, first.accounts)
  const failure = failureOf(job, counted, pods, nowMs)
  const taken = failure === undefined ? { ...first, accounts: counted } : takeIn(job, booked, pods, true)
  const failures = failuresAfter(input, first)
  const active = pods.filter(isPodActive)
  const isEnding = job.metadata.deletionTimestamp !== undefined
  const moves =
    failure !== undefined
      ? { create: [], remove: active }
      : settled && !isEnding
        ? movesOf(input, taken.accounts, failures)
        : nothing
  const left = active.length - moves.remove.length
  const verdict = failure ?? successOf(job, taken.accounts, left + moves.create.length)
  const before = job.status?.conditions ?? []
  const noted = isEnding || verdict !== undefined ? undefined : suspension(job, before, nowMs)
  const conditions =
    verdict === undefined ? (noted?.conditions ?? before) : setCondition(before, target(verdict), nowMs)
  const restarted = noted?.resumed === true || (job.status?.startTime === undefined && job.spec.suspend !== true)
  const startTime = restarted ? formatTime(nowMs) : job.status?.startTime
  const terminating = pods.filter((pod) => pod.metadata.deletionTimestamp !== undefined && !isPodTerminal(pod)).length
  const state: JobStatus = {
    ...(conditions.length === 0 ? {} : { conditions }),
    ...(startTime === undefined ? {} : { startTime }),
    ...unlessZero("active", left + moves.create.length),
    ready: active.filter((pod) => isReadyPod(pod) && !moves.remove.includes(pod)).length,
    terminating: terminating + moves.remove.length
  }
  const deadlineMs = deadlineOf({ ...job, status: state }) - nowMs
  const waitMs = Math.min("waitMs" in moves ? (moves.waitMs ?? deadlineMs) : deadlineMs, deadlineMs)
  return {
    ...moves,
    release: taken.release,
    accounts: taken.accounts,
    state,
    verdict,
    failures,
    tell: noted?.tell ?? [],
    lookAgainAfterMs: Number.isFinite(waitMs) && waitMs > 0 ? waitMs : undefined
  }
}

/** The status of a job that is over: nothing at work, nothing on its way out, all counted. Upstream: enactJobFinished. */
export const finishedStatus = (status: JobStatus, { failed, message, reason }: Verdict, nowMs: number): JobStatus => ({
  ...status,
  conditions: setCondition(
    status.conditions ?? [],
    { type: failed ? "Failed" : "Complete", status: "True", reason, message },
    nowMs
  ),
  ...(failed ? {} : { completionTime: formatTime(nowMs) })
})
