import { formatTime, type Pod } from "@rollcall/api"
import { type ClusterError, type ClusterShape, type EventRecorder, isNotFound, keyOf } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { podNotReady } from "./PodReadiness.ts"

/**
 * Sets Ready=False on the pods of a node, one after the other, with an Event each. A pod that no longer exists is
 * skipped silently; any other failure is returned after all pods were tried, and its Event is recorded all the same.
 * Upstream: pkg/controller/util/node/controller_utils.go MarkPodsNotReady.
 */
export const markPodsNotReady = Effect.fnUntraced(function* (
  cluster: ClusterShape,
  recorder: EventRecorder,
  now: () => number,
  pods: ReadonlyArray<Pod>
): Effect.fn.Return<void, ClusterError> {
  let failure: ClusterError | undefined
  for (const pod of pods) {
    const changed = podNotReady(pod, formatTime(now()))
    if (changed === undefined) continue
    const answer = yield* Effect.result(cluster.updateStatus("Pod", changed))
    if (Result.isFailure(answer)) {
      if (isNotFound(answer.failure)) continue
      failure ??= answer.failure
      yield* Effect.logInfo("Failed to update status for pod").pipe(
        Effect.annotateLogs({ pod: keyOf(pod), err: answer.failure.message })
      )
    }
    recorder.event(changed, "Warning", "NodeNotReady", "Node is not ready")
  }
  if (failure !== undefined) return yield* failure
})
