import { getControllerOf, type Job, type JobStatus, type Pod } from "@rollcall/api"
import {
  type ClusterError,
  type ClusterShape,
  type EventRecorder,
  type Informer,
  isNotFound,
  type WorkQueue
} from "@rollcall/cluster"
import type { TimersShape } from "@rollcall/time"
import * as Effect from "effect/Effect"
import { canonical } from "../deployment/podTemplateHash.ts"
import { Expectations } from "../Expectations.ts"
import { slowStart } from "../slowStart.ts"
import { accountFields, settle } from "./accounts.ts"
import { isTracked, newJobPod, trackingFinalizer } from "./jobPods.ts"
import { type Failures, finishedStatus, type JobPlan, jobPlan } from "./plan.ts"
import { isFinished } from "./verdict.ts"

export interface JobParts {
  readonly cluster: ClusterShape
  readonly timers: TimersShape
  readonly recorder: EventRecorder
  readonly jobs: Informer<"Job">
  /** With the index `job`. */
  readonly pods: Informer<"Pod">
  readonly queue: WorkQueue<string>
}

/** The value of the index `job`: the key of the job that the pod is of. */
export const jobOfPod = (pod: Pod): string | undefined => {
  const owner = getControllerOf(pod)
  return owner?.kind === "Job" ? `${pod.metadata.namespace}/${owner.name}` : undefined
}

const noFailures: Failures = { count: 0, lastMs: Number.NEGATIVE_INFINITY }

/** What is remembered of a job between two looks. */
interface Memory {
  failures: Failures
  /** The revision of the job as it was last written: an older one in the cache is not looked at. */
  written: number
}

const sameStatus = (left: JobStatus | undefined, right: JobStatus): boolean =>
  canonical(left ?? {}) === canonical(right)

/** Runs the pods of Jobs until enough have succeeded. Upstream: pkg/controller/job/job_controller.go. */
export class Jobs {
  private readonly parts: JobParts
  private readonly expectations = new Expectations()
  private readonly memories = new Map<string, Memory>()
  /** UIDs of pods whose finalizers were taken off, until the cache shows it. */
  private readonly letGo = new Set<string>()

  constructor(parts: JobParts) {
    this.parts = parts
  }

  podAdded(pod: Pod): void {
    const key = jobOfPod(pod)
    if (key !== undefined) this.expectations.creationObserved(key)
  }

  podChanged(pod: Pod): void {
    if (!isTracked(pod)) this.letGo.delete(pod.metadata.uid ?? "")
    const key = jobOfPod(pod)
    if (key !== undefined && pod.metadata.deletionTimestamp !== undefined) {
      this.expectations.deletionObserved(key, pod.metadata.uid ?? "")
    }
  }

  podGone(pod: Pod): void {
    this.letGo.delete(pod.metadata.uid ?? "")
    const key = jobOfPod(pod)
    if (key !== undefined) this.expectations.deletionObserved(key, pod.metadata.uid ?? "")
  }

  readonly sync = Effect.fnUntraced({ self: this }, function* (this: Jobs, key: string) {
    const { jobs, pods, queue, timers } = this.parts
    const job = jobs.get(key)
    const there = pods.byIndex("job", key)
    const own = there.filter((pod) => getControllerOf(pod)?.uid === job?.metadata.uid).map((pod) => this.asItIs(pod))
    // Nobody counts the pods of a job that is over or gone any more.
    const stranded = job === undefined || isFinished(job) ? there : there.filter((pod) => !isOf(job, pod))
    yield* this.release(stranded.map((pod) => this.asItIs(pod)).filter(isTracked))
    if (job === undefined || isFinished(job)) return this.forget(key, job === undefined)
    const memory = this.memories.get(key) ?? { failures: noFailures, written: 0 }
    this.memories.set(key, memory)
    if (Number(job.metadata.resourceVersion) < memory.written) return
    const plan = jobPlan({
      job,
      pods: own,
      failures: memory.failures,
      settled: this.expectations.satisfied(key, timers.now()),
      nowMs: timers.now()
    })
    const outcome = yield* Effect.exit(this.move(key, job, plan))
    yield* this.book(job, memory, plan)
    memory.failures = plan.failures
    yield* outcome
    if (plan.lookAgainAfterMs !== undefined) queue.addAfter(key, plan.lookAgainAfterMs)
  })

  /** The pod without the finalizer that was taken off it. */
  private asItIs(pod: Pod): Pod {
    if (!this.letGo.has(pod.metadata.uid ?? "") || !isTracked(pod)) return pod
    const finalizers = pod.metadata.finalizers?.filter((finalizer) => finalizer !== trackingFinalizer) ?? []
    return { ...pod, metadata: { ...pod.metadata, finalizers } }
  }

  private forget(key: string, gone: boolean): void {
    this.memories.delete(key)
    if (gone) this.expectations.forget(key)
  }

  /** Removes and makes pods. */
  private readonly move = Effect.fnUntraced(
    { self: this },
    function* (this: Jobs, key: string, job: Job, { create, remove }: JobPlan) {
      const now = this.parts.timers.now()
      if (remove.length > 0) {
        this.expectations.expectDeletions(
          key,
          remove.map(({ metadata }) => metadata.uid ?? ""),
          now
        )
        yield* Effect.forEach(remove, (pod) => this.remove(key, job, pod), { concurrency: "unbounded", discard: true })
      }
      if (create.length === 0) return
      this.expectations.expectCreations(key, create.length, now)
      yield* this.createAll(key, job, create)
    }
  )

  private remove(key: string, job: Job, { metadata }: Pod): Effect.Effect<void, ClusterError> {
    const { name = "", namespace, uid = "" } = metadata
    const { cluster, recorder } = this.parts
    return cluster.delete("Pod", { namespace, name }).pipe(
      Effect.tap(() => Effect.sync(() => recorder.event(job, "Normal", "SuccessfulDelete", `Deleted pod: ${name}`))),
      Effect.tapError((error) =>
        Effect.sync(() => {
          this.expectations.deletionObserved(key, uid)
          if (!isNotFound(error)) {
            recorder.event(job, "Warning", "FailedDelete", `Error deleting: ${error.message}`)
          }
        })
      ),
      Effect.catchIf(isNotFound, () => Effect.void),
      Effect.asVoid
    )
  }

  private createAll(
    key: string,
    job: Job,
    indexes: ReadonlyArray<number | undefined>
  ): Effect.Effect<void, ClusterError> {
    const { cluster, recorder } = this.parts
    return Effect.callback<void, ClusterError>((resume) => {
      let next = 0
      slowStart<ClusterError>(
        indexes.length,
        (answered) => {
          const pod = newJobPod(job, indexes[next++])
          const request = { verb: "create", kind: "Pod", namespace: pod.metadata.namespace ?? "", object: pod } as const
          cluster.connection.send(request, (answer) => {
            if (answer._tag === "Failure") {
              recorder.event(job, "Warning", "FailedCreate", `Error creating: ${answer.failure.message}`)
              answered(answer.failure)
              return
            }
            const { name } = (answer.success as Pod).metadata
            recorder.event(job, "Normal", "SuccessfulCreate", `Created pod: ${name}`)
            answered(undefined)
          })
        },
        ({ error, skipped }) => {
          this.expectations.creationObserved(key, skipped)
          resume(error === undefined ? Effect.void : Effect.fail(error))
        }
      )
    })
  }

  /** Writes down who ended, lets them go, and writes down how many that makes; and the end, when there is nothing left. */
  private readonly book = Effect.fnUntraced(
    { self: this },
    function* (this: Jobs, job: Job, memory: Memory, plan: JobPlan) {
      const { recorder, timers } = this.parts
      const { state, verdict } = plan
      const noted = yield* this.write(job, memory, { ...state, ...accountFields(job, plan.accounts) })
      for (const [reason, message] of plan.tell) recorder.event(job, "Normal", reason, message)
      yield* this.release(plan.release)
      const released = new Set(plan.release.map(({ metadata }) => metadata.uid ?? ""))
      const accounts = settle(job, plan.accounts, (uid) => !released.has(uid))
      const counted: JobStatus = { ...state, ...accountFields(job, accounts) }
      const { failed, succeeded } = accounts.uncounted
      const left = (state.active ?? 0) + (state.terminating ?? 0) + failed.length + succeeded.length
      if (verdict === undefined || left > 0) {
        yield* this.write(noted, memory, counted)
        return
      }
      yield* this.write(noted, memory, finishedStatus(counted, verdict, timers.now()))
      if (verdict.failed) recorder.event(job, "Warning", verdict.reason, verdict.message)
      else recorder.event(job, "Normal", "Completed", "Job completed")
    }
  )

  private readonly write = Effect.fnUntraced(
    { self: this },
    function* (this: Jobs, job: Job, memory: Memory, status: JobStatus) {
      if (sameStatus(job.status, status)) return job
      const written = yield* this.parts.cluster.updateStatus("Job", { ...job, status })
      memory.written = Number(written.metadata.resourceVersion)
      return written
    }
  )

  /** Takes the finalizer off pods that are counted. */
  private release(pods: ReadonlyArray<Pod>): Effect.Effect<void, ClusterError> {
    return Effect.forEach(
      pods,
      ({ metadata: { name = "", namespace, uid = "" } }) => {
        const body = { metadata: { uid, "$deleteFromPrimitiveList/finalizers": [trackingFinalizer] } }
        return this.parts.cluster.patch("Pod", { namespace, name }, "strategic", body).pipe(
          Effect.tap(() => Effect.sync(() => this.letGo.add(uid))),
          Effect.catchIf(isNotFound, () => Effect.void)
        )
      },
      { concurrency: "unbounded", discard: true }
    )
  }
}

const isOf = (job: Job, pod: Pod): boolean => getControllerOf(pod)?.uid === job.metadata.uid
