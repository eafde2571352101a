import { formatTime, podDisruptionTarget, updatePodCondition } from "@rollcall/api"
import { createPodStatusPatch } from "@rollcall/api/patch"
import { type ClusterError, type ClusterShape, type EventRecorder, isNotFound } from "@rollcall/cluster"
import type { TimersShape } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import { type DoomedPod, REASON, referenceTo } from "./DeviceTaintEvictor.ts"

/** Upstream: pkg/controller/devicetainteviction/metrics/metrics.go. */
const deletions = Metric.counter("device_taint_eviction_controller_pod_deletions_total", {
  description: "[ALPHA] Total number of Pods deleted by DeviceTaintEvictionController since its start.",
  incremental: true
})
const deletionSeconds = Metric.histogram("device_taint_eviction_controller_pod_deletion_duration_seconds", {
  description:
    "[ALPHA] Latency, in seconds, between the time when a device taint effect has been activated and a Pod's deletion via DeviceTaintEvictionController.",
  boundaries: [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 30, 60, 120, 180, 240]
})

const condition = {
  type: podDisruptionTarget,
  status: "True",
  reason: "DeletionByDeviceTaintManager",
  message: "Device Taint manager: deleting due to NoExecute taint"
} as const

/** Adds the condition with the reason, then deletes the pod; returns whether it was there. */
const addConditionAndDelete = Effect.fnUntraced(function* (
  cluster: ClusterShape,
  recorder: Pick<EventRecorder, "event">,
  now: () => number,
  doomed: DoomedPod
) {
  const { name, namespace, uid } = doomed
  const pod = yield* cluster.get("Pod", { name, namespace })
  if (pod.metadata.uid !== uid) return false
  if (pod.metadata.deletionTimestamp !== undefined) return true
  recorder.event(referenceTo(doomed), "Normal", REASON, "Marking for deletion")
  const body = createPodStatusPatch(pod, updatePodCondition(pod.status ?? {}, condition, formatTime(now())))
  if (body !== undefined) yield* cluster.patch("Pod", { name, namespace }, "strategic", body, { subresource: "status" })
  yield* cluster.delete("Pod", { name, namespace }, { preconditions: { uid } })
  return true
})

/** Deletes a pod that is due. A pod that is gone is no failure. Upstream: maybeDeletePod of device_taint_eviction.go. */
export const evictDevicePod = (
  cluster: ClusterShape,
  recorder: Pick<EventRecorder, "event">,
  { now }: TimersShape,
  doomed: DoomedPod
): Effect.Effect<void, ClusterError> =>
  addConditionAndDelete(cluster, recorder, now, doomed).pipe(
    Effect.catchIf(isNotFound, () => Effect.succeed(false)),
    Effect.flatMap((isDone) =>
      isDone
        ? Effect.andThen(Metric.update(deletions, 1), Metric.update(deletionSeconds, (now() - doomed.dueMs) / 1000))
        : Effect.void
    )
  )
