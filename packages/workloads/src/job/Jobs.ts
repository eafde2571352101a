import {
  canonicalJson,
  getControllerOf,
  type Job,
  type JobStatus,
  keyOf,
  matchesLabelSelector,
  type Pod
} from "@rollcall/api"
import type { ClusterError, ClusterShape, EventRecorder, Informer, WorkQueue } from "@rollcall/cluster"
import type { TimersShape } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { claimPods } from "../claims.ts"
import { Expectations } from "../Expectations.ts"
import { accountFields, countReleased } from "./accounts.ts"
import { type Failures, noFailures } from "./backoff.ts"
import { JobPodControl } from "./JobPodControl.ts"
import { isTracked, trackingFinalizer } from "./jobPods.ts"
import type { JobMeters, SyncAction } from "./metrics.ts"
import { finishedStatus, type JobInput, type JobPlan, jobPlan, withoutMissing } from "./plan.ts"
import { isFinished, type Verdict } from "./verdict.ts"

/** What the job controller needs. */
export interface JobParts {
  readonly cluster: ClusterShape
  readonly timers: TimersShape
  readonly recorder: EventRecorder
  readonly meters: JobMeters
  readonly jobs: Informer<"Job">
  /** With the indexes `job` and `orphans` (namespace). */
  readonly pods: Informer<"Pod">
  readonly queue: WorkQueue<string>
  readonly forgetsStart: boolean
}

/** The value of the index `job`: `namespace/name` of the job that controls the pod; undefined if none does. */
export const jobOfPod = (pod: Pod): string | undefined => {
  const owner = getControllerOf(pod)
  return owner?.kind === "Job" ? `${pod.metadata.namespace}/${owner.name}` : undefined
}

/** Pod events of a job are batched for one second. Upstream: SyncJobBatchPeriod. */
export const BATCH_MS = 1000

/** Upstream: batch/v1 JobControllerName. */
const controllerName = "kubernetes.io/job-controller"

/** The external controller of the job, if it is not this one. Upstream: managedByExternalController. */
export const externalControllerOf = ({ spec: { managedBy } }: Job): string | undefined =>
  managedBy === controllerName ? undefined : managedBy

/** What a sync of a job leaves for the next. */
interface Memory {
  failures: Failures
}

const sameStatus = (left: JobStatus | undefined, right: JobStatus): boolean =>
  canonicalJson(left ?? {}) === canonicalJson(right)

/** Runs the pods of Jobs until enough have succeeded. Upstream: pkg/controller/job/job_controller.go. */
export class Jobs {
  private readonly parts: JobParts
  private readonly control: JobPodControl
  private readonly expectations = new Expectations()
  private readonly memories = new Map<string, Memory>()

  constructor(parts: JobParts) {
    this.parts = parts
    this.control = new JobPodControl(parts, this.expectations)
  }

  podAdded(pod: Pod): void {
    const key = jobOfPod(pod)
    if (key === undefined) this.enqueueSelecting(pod)
    else if (pod.metadata.deletionTimestamp === undefined) this.expectations.creationObserved(key)
    else this.expectations.deletionObserved(key, pod.metadata.uid ?? "")
    this.enqueueBatched(key)
  }

  podChanged(before: Pod, pod: Pod): void {
    this.control.podChanged(pod)
    const key = jobOfPod(pod)
    const previous = jobOfPod(before)
    if (previous !== key) this.enqueueBatched(previous)
    if (key === undefined) {
      if (previous !== undefined || before.metadata.labels !== pod.metadata.labels) this.enqueueSelecting(pod)
    } else if (pod.metadata.deletionTimestamp !== undefined) {
      this.expectations.deletionObserved(key, pod.metadata.uid ?? "")
    }
    this.enqueueBatched(key)
  }

  podDeleted(pod: Pod): void {
    this.control.podDeleted(pod)
    const key = jobOfPod(pod)
    if (key !== undefined) this.expectations.deletionObserved(key, pod.metadata.uid ?? "")
    this.enqueueBatched(key)
  }

  /** Syncs the job after the batch period, together with further events. */
  private enqueueBatched(key: string | undefined): void {
    if (key !== undefined) this.parts.queue.addAfter(key, BATCH_MS)
  }

  /** Syncs the jobs that select a pod without a controller: one of them adopts it. */
  private enqueueSelecting(pod: Pod): void {
    if (getControllerOf(pod) !== undefined) return
    for (const job of this.parts.jobs.list()) {
      if (job.metadata.namespace === pod.metadata.namespace && isSelected(job, pod)) this.enqueueBatched(keyOf(job))
    }
  }

  readonly sync = (key: string) => this.expectations.runSync(key, this.syncOnce(key))

  private readonly syncOnce = Effect.fnUntraced({ self: this }, function* (this: Jobs, key: string) {
    const { forgetsStart, jobs, meters, pods, timers } = this.parts
    const job = jobs.get(key)
    if (job !== undefined && externalControllerOf(job) !== undefined) return
    const cachedPods = pods.byIndex("job", key)
    // The pods of a finished or deleted job, or of an earlier job with this name, are no longer counted.
    const uncountable = job === undefined || isFinished(job) ? cachedPods : cachedPods.filter((pod) => !isOf(job, pod))
    yield* this.control.release(uncountable.map((pod) => this.control.withoutReleasedFinalizer(pod)).filter(isTracked))
    if (job === undefined || isFinished(job)) return this.forget(key, job === undefined)
    const memory = this.memories.get(key) ?? { failures: noFailures }
    this.memories.set(key, memory)
    const began = timers.now()
    let action: SyncAction = "reconciling"
    const outcome = yield* Effect.exit(
      Effect.gen({ self: this }, function* () {
        const isSettled = this.expectations.satisfied(key, began)
        const claimed = yield* this.claim(job)
        const { failures } = memory
        const input: JobInput = { job, pods: claimed, failures, isSettled, nowMs: timers.now(), forgetsStart }
        const plan = jobPlan(input)
        action = actionOf(plan, isSettled)
        yield* this.applyPlan(key, input, plan, memory)
      })
    )
    meters.synced(job, Exit.isSuccess(outcome), action, (timers.now() - began) / 1000)
    yield* outcome
  })

  /** Removes a job's leftover finalizer from a pod. */
  release(pod: Pod): Effect.Effect<void, ClusterError> {
    return this.control.release([pod])
  }

  private readonly applyPlan = Effect.fnUntraced(
    { self: this },
    function* (this: Jobs, key: string, input: JobInput, planned: JobPlan, memory: Memory) {
      const { job } = input
      const outcome = yield* Effect.exit(this.control.applyPlan(key, job, planned))
      // Pods that could not be deleted still exist: the job has not finished yet.
      const isStuck = Exit.isFailure(outcome) && planned.ending
      const { error = undefined, missing = 0 } = Exit.isSuccess(outcome) ? outcome.value : {}
      const plan = isStuck ? jobPlan({ ...input, isSettled: false }) : withoutMissing(planned, missing)
      yield* this.writeCounts(job, plan)
      memory.failures = plan.failures
      if (plan.resyncAfterMs !== undefined) this.parts.queue.addAfter(key, plan.resyncAfterMs)
      yield* outcome
      if (error !== undefined) return yield* Effect.fail(error)
    }
  )

  private claim(job: Job): Effect.Effect<ReadonlyArray<Pod>, ClusterError> {
    const { cluster, pods } = this.parts
    const owned = pods.byIndex("job", keyOf(job)).filter((pod) => isOf(job, pod))
    return claimPods(cluster, {
      owner: job,
      owned: owned.map((pod) => this.control.withoutReleasedFinalizer(pod)),
      orphans: pods.byIndex("orphans", job.metadata.namespace ?? ""),
      belongs: (pod) => isSelected(job, pod),
      finalizer: trackingFinalizer
    })
  }

  private forget(key: string, isDeleted: boolean): void {
    this.memories.delete(key)
    if (isDeleted) this.expectations.forget(key)
  }

  /**
   * Writes the UIDs of the uncounted pods to the status, removes their finalizers, then writes the counts. If no pod is
   * left, the job has finished: the last write then includes its final condition.
   */
  private readonly writeCounts = Effect.fnUntraced({ self: this }, function* (this: Jobs, job: Job, plan: JobPlan) {
    const { meters, recorder, timers } = this.parts
    const { state, verdict } = plan
    const listed = yield* this.write(job, { ...state, ...accountFields(job, plan.accounts) })
    for (const [reason, message] of plan.events) recorder.event(job, "Normal", reason, message)
    meters.failurePolicyApplied(plan.byPolicy)
    yield* this.control.release(plan.release)
    const released = new Set(plan.release.map(({ metadata }) => metadata.uid ?? ""))
    const accounts = countReleased(job, plan.accounts, (uid) => !released.has(uid))
    const counted: JobStatus = { ...state, ...accountFields(job, accounts) }
    const { failed, succeeded } = accounts.uncounted
    const remaining = (state.terminating ?? 0) + failed.length + succeeded.length
    if (verdict === undefined || plan.isFull || remaining > 0) {
      yield* this.write(listed, counted)
      return
    }
    yield* this.write(listed, finishedStatus(counted, verdict, timers.now()))
    this.recordEnd(job, verdict, counted)
  })

  /** Records the Events and metrics of a job that has finished. */
  private recordEnd(job: Job, verdict: Verdict, { succeeded = 0 }: JobStatus): void {
    const { meters, recorder } = this.parts
    meters.finished(job, verdict)
    if (verdict.failed) {
      recorder.event(job, "Warning", verdict.reason, verdict.message)
      return
    }
    if (job.spec.completions !== undefined && succeeded > job.spec.completions) {
      const text = "Too many succeeded pods running after completion count reached"
      recorder.event(job, "Warning", "TooManySucceededPods", text)
    }
    recorder.event(job, "Normal", "Completed", "Job completed")
  }

  private readonly write = Effect.fnUntraced({ self: this }, function* (this: Jobs, job: Job, status: JobStatus) {
    if (sameStatus(job.status, status)) return job
    const written = yield* this.parts.cluster.updateStatus("Job", { ...job, status })
    this.parts.meters.counted(job, job.status, status)
    return written
  })
}

/** The label `action` of the sync metrics. */
const actionOf = ({ create, ending, remove }: JobPlan, isSettled: boolean): SyncAction => {
  if (!isSettled || ending) return "reconciling"
  return remove.length > 0 ? "pods_deleted" : create.length > 0 ? "pods_created" : "tracking"
}

/** Whether the job controls the pod. */
const isOf = (job: Job, pod: Pod): boolean => getControllerOf(pod)?.uid === job.metadata.uid

/** A job without a selector, which no API server returns, selects pods by their owner reference. */
const isSelected = (job: Job, pod: Pod): boolean =>
  job.spec.selector === undefined ? isOf(job, pod) : matchesLabelSelector(job.spec.selector, pod.metadata.labels)
