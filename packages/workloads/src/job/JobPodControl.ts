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

/** What JobPodControl needs. */
export interface JobPodControlParts {
  readonly cluster: ClusterShape
  readonly timers: TimersShape
  readonly recorder: EventRecorder
  readonly meters: JobMeters
}

/** What became of the pods to create. */
interface Creation {
  readonly missing: number
  readonly error: ClusterError | undefined
}

/** Creates, deletes and releases the pods of jobs. */
export class JobPodControl {
  private readonly parts: JobPodControlParts
  private readonly control: PodControl
  private readonly expectations: Expectations
  /** UIDs of pods whose finalizers were removed, while the cached pod still has it. */
  private readonly released = new Set<string>()

  constructor(parts: JobPodControlParts, expectations: Expectations) {
    this.parts = parts
    this.control = new PodControl(parts.cluster.connection, parts.recorder)
    this.expectations = expectations
  }

  /** Must be called when the cached pod has changed. */
  podChanged(pod: Pod): void {
    if (!isTracked(pod)) this.released.delete(pod.metadata.uid ?? "")
  }

  /** Must be called when the pod was deleted. */
  podDeleted({ metadata }: Pod): void {
    this.released.delete(metadata.uid ?? "")
  }

  /** The cached pod as the API has it, if its finalizer was removed already. */
  withoutReleasedFinalizer(pod: Pod): Pod {
    if (!this.released.has(pod.metadata.uid ?? "") || !isTracked(pod)) return pod
    const finalizers = pod.metadata.finalizers?.filter((finalizer) => finalizer !== trackingFinalizer) ?? []
    return { ...pod, metadata: { ...pod.metadata, finalizers } }
  }

  /** Deletes or creates the pods of a plan; returns how many were not created, and why. */
  readonly applyPlan = Effect.fnUntraced(
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
      if (create.length === 0) return { missing: 0, error: undefined }
      this.expectations.expectCreations(key, create.length, now)
      return yield* this.createAll(key, job, create)
    }
  )

  /**
   * Deletes a pod. `counts` says that the job has finished and will count it, so it keeps its finalizer. A surplus pod
   * has not failed: its finalizer is removed first, so that it is never counted. Upstream: deleteJobPods,
   * deleteActivePods.
   */
  private remove(key: string, job: Job, pod: Pod, counts: boolean): Effect.Effect<void, ClusterError> {
    const deletion = Effect.callback<void, ClusterError>((resume) =>
      this.control.delete(job, pod, (error) =>
        resume(error === undefined || isNotFound(error) ? Effect.void : Effect.fail(error))
      )
    )
    if (counts) return deletion
    return this.release([pod]).pipe(
      Effect.andThen(deletion),
      Effect.tapError(() => Effect.sync(() => this.expectations.deletionObserved(key, pod.metadata.uid ?? "")))
    )
  }

  private createAll(key: string, job: Job, newPods: ReadonlyArray<NewPod>): Effect.Effect<Creation> {
    return Effect.callback<Creation>((resume) => {
      let next = 0
      let failed = 0
      slowStart<ClusterError>(
        newPods.length,
        (onAnswer) =>
          this.control.createPod(job, newJobPod(job, newPods[next++] ?? {}), (error) => {
            if (error !== undefined) failed++
            onAnswer(error)
          }),
        ({ error, skipped, successes }) => {
          this.expectations.creationObserved(key, skipped)
          this.parts.meters.created(job, successes, failed)
          resume(Effect.succeed({ missing: skipped, error }))
        }
      )
    })
  }

  /** Removes the finalizers of pods that are counted, or must not be. */
  release(pods: ReadonlyArray<Pod>): Effect.Effect<void, ClusterError> {
    return Effect.forEach(
      pods.filter(isTracked),
      ({ metadata: { name = "", namespace, uid = "" } }) => {
        const body = { metadata: { "$deleteFromPrimitiveList/finalizers": [trackingFinalizer] } }
        return this.parts.cluster.patch("Pod", { namespace, name }, "strategic", body).pipe(
          Effect.tap(() => Effect.sync(() => this.released.add(uid))),
          Effect.catchIf(isNotFound, () => Effect.void)
        )
      },
      { concurrency: "unbounded", discard: true }
    )
  }
}
