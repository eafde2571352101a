import { formatTime } from "@rollcall/api"
import { createPodStatusPatch } from "@rollcall/api/patch"
import type { ClusterShape, ObjectKey } from "@rollcall/cluster"
import type { TimersShape } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as Result from "effect/Result"
import { withDisruptionTarget } from "./DisruptionTarget.ts"
import { logFailure } from "./failureLog.ts"
import { podDeletionSeconds, podDeletions } from "./Metrics.ts"
import type { ScheduledEviction } from "./TimedEvictions.ts"

const REASON = "DeletionByTaintManager"
const MESSAGE = "Taint manager: deleting due to NoExecute taint"
const TRIES = 5
const RETRY_MS = 10

/** Reads the pod, says in its status why it goes, deletes it with its own grace period. */
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
 * Deletes a pod whose time has come, in up to five tries; answers whether one succeeded. A pod that is gone counts as a failure
 * too. Upstream: pkg/controller/tainteviction/taint_eviction.go deletePodHandler.
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
