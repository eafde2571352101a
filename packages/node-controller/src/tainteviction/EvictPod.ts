import { formatTime } from "@rollcall/api"
import { createPodStatusPatch } from "@rollcall/api/patch"
import type { ClusterShape, ObjectKey } from "@rollcall/cluster"
import type { TimersShape } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as Result from "effect/Result"
import { withDisruptionTarget } from "../DisruptionTarget.ts"
import { logFailure } from "../failureLog.ts"
import type { ScheduledEviction } from "./TimedEvictions.ts"

const REASON = "DeletionByTaintManager"
const MESSAGE = "Taint manager: deleting due to NoExecute taint"
const TRIES = 5
const RETRY_MS = 10

const podDeletions = Metric.counter("taint_eviction_controller_pod_deletions_total", {
  description: "[ALPHA] Total number of Pods deleted by TaintEvictionController since its start.",
  incremental: true
})
/** From the due time of a deletion to its success; upstream's value is a billion times too large. */
const podDeletionSeconds = Metric.histogram("taint_eviction_controller_pod_deletion_duration_seconds", {
  description:
    "[ALPHA] Latency, in seconds, between the time when a taint effect has been activated for the Pod and its deletion.",
  boundaries: [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 30, 60, 120, 180, 240]
})

/** Reads the pod, adds the condition with the reason, and deletes it with its own grace period. */
const addConditionAndDelete = Effect.fnUntraced(function* (
  cluster: ClusterShape,
  now: () => number,
  key: ObjectKey,
  disruptionTarget: boolean
) {
  const pod = yield* cluster.get("Pod", key)
  const body = disruptionTarget
    ? createPodStatusPatch(pod, withDisruptionTarget(pod, REASON, MESSAGE, formatTime(now())))
    : undefined
  if (body !== undefined) yield* cluster.patch("Pod", key, "strategic", body, { subresource: "status" })
  yield* cluster.delete("Pod", key)
})

/**
 * Deletes a pod that is due, in up to five tries; returns whether one succeeded. A pod that no longer exists counts as
 * a failure too. Upstream: pkg/controller/tainteviction/taint_eviction.go deletePodHandler.
 */
export const evictPod = Effect.fnUntraced(function* (
  cluster: ClusterShape,
  { now }: TimersShape,
  { dueMs, namespace, pod: name }: ScheduledEviction,
  disruptionTarget: boolean
) {
  let err = ""
  for (let tries = 0; tries < TRIES; tries++) {
    const outcome = yield* Effect.result(addConditionAndDelete(cluster, now, { namespace, name }, disruptionTarget))
    if (Result.isSuccess(outcome)) {
      yield* Metric.update(podDeletions, 1)
      yield* Metric.update(podDeletionSeconds, (now() - dueMs) / 1000)
      return true
    }
    err = outcome.failure.message
    yield* Effect.sleep(RETRY_MS)
  }
  yield* logFailure("TaintEvictionController: timed worker failed", err, { pod: `${namespace}/${name}` })
  return false
})
