import type { Job, Pod } from "@rollcall/api"
import { type ClusterError, type ClusterShape, type EventRecorder, isNotFound } from "@rollcall/cluster"
import type { TimersShape } from "@rollcall/time"
import * as Effect from "effect/Effect"
import type { Expectations } from "../Expectations.ts"
import { PodControl } from "../replicaset/PodControl.ts"
import { slowStart } from "../slowStart.ts"
import { isTracked, type NewPod, newJobPod, trackingFinalizer } from "./jobPods.ts"
import type { JobMeters } from "./metrics.ts"
import type { JobPlan } from "./plan.ts"

export interface JobPodControlParts {
  readonly cluster: ClusterShape
  readonly timers: TimersShape
  readonly recorder: EventRecorder
  readonly meters: JobMeters
}

/** Creates, deletes and releases the pods of jobs. */
export class JobPodControl {
  private readonly parts: JobPodControlParts
  private readonly control: PodControl
  private readonly expectations: Expectations
  /** UIDs of pods whose finalizers were removed, until the cache shows it. */
  private readonly released = new Set<string>()

  constructor(parts: JobPodControlParts, expectations: Expectations) {
    this.parts = parts
    this.control = new PodControl(parts.cluster.connection, parts.recorder)
    this.expectations = expectations
  }

  seen(pod: Pod): void {
    if (!isTracked(pod)) this.released.delete(pod.metadata.uid ?? "")
  }

  gone({ metadata }: Pod): void {
    this.released.delete(metadata.uid ?? "")
  }

  /** The pod without the finalizer that was already removed. */
  withoutReleasedFinalizer(pod: Pod): Pod {
    if (!this.released.has(pod.metadata.uid ?? "") || !isTracked(pod)) return pod
    const finalizers = pod.metadata.finalizers?.filter((finalizer) => finalizer !== trackingFinalizer) ?? []
    return { ...pod, metadata: { ...pod.metadata, finalizers } }
  }

  readonly move = Effect.fnUntraced(
    { self: this },
    function* (this: JobPodControl, key: string, job: Job, { create, ending, remove }: JobPlan) {
      const now = this.parts.timers.now()
      if (remove.length > 0 && !ending) {
        const uids = remove.map(({ metadata }) => metadata.uid ?? "")
        this.expectations.expectDeletions(key, uids, now)
      }
      if (remove.length > 0) {
        const act = (pod: Pod) => this.remove(key, job, pod, ending)
        yield* Effect.forEach(remove, act, { concurrency: "unbounded", discard: true })
      }
      if (create.length === 0) return
      this.expectations.expectCreations(key, create.length, now)
      yield* this.createAll(key, job, create)
    }
  )

  /**
   * A surplus pod that is deleted has not failed: its finalizer is removed without counting it.
   * Upstream: deleteJobPods, deleteActivePods.
   */
  private remove(key: string, job: Job, pod: Pod, counts: boolean): Effect.Effect<void, ClusterError> {
    const removed = Effect.callback<void, ClusterError>((resume) =>
      this.control.delete(job, pod, (error) =>
        resume(error === undefined || isNotFound(error) ? Effect.void : Effect.fail(error))
      )
    )
    if (counts) return removed
    return this.release([pod]).pipe(
      Effect.andThen(removed),
      Effect.tapError(() => Effect.sync(() => this.expectations.deletionObserved(key, pod.metadata.uid ?? "")))
    )
  }

  private createAll(key: string, job: Job, wanted: ReadonlyArray<NewPod>): Effect.Effect<void, ClusterError> {
    return Effect.callback<void, ClusterError>((resume) => {
      let next = 0
      let failed = 0
      slowStart<ClusterError>(
        wanted.length,
        (answered) =>
          this.control.createPod(job, newJobPod(job, wanted[next++] ?? {}), (error) => {
            if (error !== undefined) failed++
            answered(error)
          }),
        ({ error, skipped, successes }) => {
          this.expectations.creationObserved(key, skipped)
          this.parts.meters.created(job, successes, failed)
          resume(error === undefined ? Effect.void : Effect.fail(error))
        }
      )
    })
  }

  /** Removes the finalizer of counted pods. */
  release(pods: ReadonlyArray<Pod>): Effect.Effect<void, ClusterError> {
    return Effect.forEach(
      pods.filter(isTracked),
      ({ metadata: { name = "", namespace, uid = "" } }) => {
        const body = { metadata: { uid, "$deleteFromPrimitiveList/finalizers": [trackingFinalizer] } }
        return this.parts.cluster.patch("Pod", { namespace, name }, "strategic", body).pipe(
          Effect.tap(() => Effect.sync(() => this.released.add(uid))),
          Effect.catchIf(isNotFound, () => Effect.void)
        )
      },
      { concurrency: "unbounded", discard: true }
    )
  }
}
