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
import { accountFields, settle } from "./accounts.ts"
import { type Failures, noFailures } from "./backoff.ts"
import { JobPodControl } from "./JobPodControl.ts"
import { isTracked, trackingFinalizer } from "./jobPods.ts"
import type { JobMeters, SyncAction } from "./metrics.ts"
import { finishedStatus, type JobInput, type JobPlan, jobPlan } from "./plan.ts"
import { isFinished, type Verdict } from "./verdict.ts"

export interface JobParts {
  readonly cluster: ClusterShape
  readonly timers: TimersShape
  readonly recorder: EventRecorder
  readonly meters: JobMeters
  readonly jobs: Informer<"Job">
  /** With the indexes `job` and `orphans` (namespace). */
  readonly pods: Informer<"Pod">
  readonly queue: WorkQueue<string>
}

/** The value of the index `job`: the key of the pod's job. */
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

/** The state of a job between two syncs. */
interface Memory {
  failures: Failures
  /** The resourceVersion of the last write: an older job in the cache is not synced. */
  written: number
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
    if (key === undefined) this.offer(pod)
    else if (pod.metadata.deletionTimestamp === undefined) this.expectations.creationObserved(key)
    else this.expectations.deletionObserved(key, pod.metadata.uid ?? "")
    this.lookSoon(key)
  }

  podChanged(before: Pod, pod: Pod): void {
    this.control.seen(pod)
    const key = jobOfPod(pod)
    const previous = jobOfPod(before)
    if (previous !== key) this.lookSoon(previous)
    if (key === undefined) {
      if (previous !== undefined || before.metadata.labels !== pod.metadata.labels) this.offer(pod)
    } else if (pod.metadata.deletionTimestamp !== undefined) {
      this.expectations.deletionObserved(key, pod.metadata.uid ?? "")
    }
    this.lookSoon(key)
  }

  podGone(pod: Pod): void {
    this.control.gone(pod)
    const key = jobOfPod(pod)
    if (key !== undefined) this.expectations.deletionObserved(key, pod.metadata.uid ?? "")
    this.lookSoon(key)
  }

  private lookSoon(key: string | undefined): void {
    if (key !== undefined) this.parts.queue.addAfter(key, BATCH_MS)
  }

  /** A pod without a controller concerns the jobs that select it. */
  private offer(pod: Pod): void {
    if (getControllerOf(pod) !== undefined) return
    for (const job of this.parts.jobs.list()) {
      if (job.metadata.namespace === pod.metadata.namespace && isSelected(job, pod)) this.lookSoon(keyOf(job))
    }
  }

  readonly sync = (key: string) => this.expectations.forgottenOnDefect(key, this.syncOnce(key))

  private readonly syncOnce = Effect.fnUntraced({ self: this }, function* (this: Jobs, key: string) {
    const { jobs, meters, pods, timers } = this.parts
    const job = jobs.get(key)
    if (job !== undefined && externalControllerOf(job) !== undefined) return
    const there = pods.byIndex("job", key)
    // Pods of a finished or deleted job are no longer counted.
    const stranded = job === undefined || isFinished(job) ? there : there.filter((pod) => !isOf(job, pod))
    yield* this.control.release(stranded.map((pod) => this.control.withoutReleasedFinalizer(pod)).filter(isTracked))
    if (job === undefined || isFinished(job)) return this.forget(key, job === undefined)
    const memory = this.memories.get(key) ?? { failures: noFailures, written: 0 }
    this.memories.set(key, memory)
    if (Number(job.metadata.resourceVersion) < memory.written) return
    const began = timers.now()
    let action: SyncAction = "reconciling"
    const outcome = yield* Effect.exit(
      Effect.gen({ self: this }, function* () {
        const settled = this.expectations.satisfied(key, began)
        const own = yield* this.claim(job)
        const input: JobInput = { job, pods: own, failures: memory.failures, settled, nowMs: timers.now() }
        const plan = jobPlan(input)
        action = actionOf(plan, settled)
        yield* this.carryOut(key, input, plan, memory)
      })
    )
    meters.synced(job, Exit.isSuccess(outcome), action, (timers.now() - began) / 1000)
    yield* outcome
  })

  /** Removes a job's leftover finalizer from a pod. */
  release(pod: Pod): Effect.Effect<void, ClusterError> {
    return this.control.release([pod])
  }

  private readonly carryOut = Effect.fnUntraced(
    { self: this },
    function* (this: Jobs, key: string, input: JobInput, planned: JobPlan, memory: Memory) {
      const { job } = input
      const outcome = yield* Effect.exit(this.control.move(key, job, planned))
      // Pods that could not be deleted still exist: the job has not finished yet.
      const isStuck = Exit.isFailure(outcome) && planned.ending
      const plan = isStuck ? jobPlan({ ...input, settled: false }) : planned
      yield* this.book(job, memory, plan)
      memory.failures = plan.failures
      if (plan.lookAgainAfterMs !== undefined) this.parts.queue.addAfter(key, plan.lookAgainAfterMs)
      yield* outcome
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

  private forget(key: string, gone: boolean): void {
    this.memories.delete(key)
    if (gone) this.expectations.forget(key)
  }

  /**
   * Writes the uncounted pods to the status, removes their finalizers, then writes the counts; and the end, when
   * nothing is left.
   */
  private readonly book = Effect.fnUntraced(
    { self: this },
    function* (this: Jobs, job: Job, memory: Memory, plan: JobPlan) {
      const { meters, recorder, timers } = this.parts
      const { state, verdict } = plan
      const noted = yield* this.write(job, memory, { ...state, ...accountFields(job, plan.accounts) })
      for (const [reason, message] of plan.events) recorder.event(job, "Normal", reason, message)
      meters.judged(plan.byPolicy)
      yield* this.control.release(plan.release)
      const released = new Set(plan.release.map(({ metadata }) => metadata.uid ?? ""))
      const accounts = settle(job, plan.accounts, (uid) => !released.has(uid))
      const counted: JobStatus = { ...state, ...accountFields(job, accounts) }
      const { failed, succeeded } = accounts.uncounted
      const left = (state.terminating ?? 0) + failed.length + succeeded.length
      if (verdict === undefined || plan.isFull || left > 0) {
        yield* this.write(noted, memory, counted)
        return
      }
      yield* this.write(noted, memory, finishedStatus(counted, verdict, timers.now()))
      this.recordEnd(job, verdict, counted)
    }
  )

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

  private readonly write = Effect.fnUntraced(
    { self: this },
    function* (this: Jobs, job: Job, memory: Memory, status: JobStatus) {
      if (sameStatus(job.status, status)) return job
      const written = yield* this.parts.cluster.updateStatus("Job", { ...job, status })
      memory.written = Number(written.metadata.resourceVersion)
      this.parts.meters.booked(job, job.status, status)
      return written
    }
  )
}

const actionOf = ({ create, ending, remove }: JobPlan, settled: boolean): SyncAction => {
  if (!settled || ending) return "reconciling"
  return remove.length > 0 ? "pods_deleted" : create.length > 0 ? "pods_created" : "tracking"
}

const isOf = (job: Job, pod: Pod): boolean => getControllerOf(pod)?.uid === job.metadata.uid

/** A job without a selector, which no API server returns, selects pods by their owner reference. */
const isSelected = (job: Job, pod: Pod): boolean =>
  job.spec.selector === undefined ? isOf(job, pod) : matchesLabelSelector(job.spec.selector, pod.metadata.labels)
