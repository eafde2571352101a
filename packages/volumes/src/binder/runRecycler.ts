import type { Event, Pod } from "@rollcall/api"
import { type ClusterError, type ClusterShape, isAlreadyExists } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

/** Why a recycler pod has not emptied its volume. */
type Failure = string

type Outcome = Result.Result<void, Failure>
type Told = (type: "Normal" | "Warning", message: string) => void

/** How a run is over; undefined while it runs. */
const outcomeOf = (type: string, { status }: Pod): Outcome | undefined => {
  if (type === "ERROR") return Result.fail("recycler pod watcher failed")
  if (type === "DELETED") return Result.fail("recycler pod was deleted")
  if (status?.phase === "Succeeded") return Result.succeed(undefined)
  return status?.phase === "Failed"
    ? Result.fail(status.message || "pod failed, pod.Status.Message unknown")
    : undefined
}

/**
 * Follows the pod until it is over, and tells of each Event about it. Both come in the order in which they arrive, so that the
 * Events before the end are told. Upstream: waitForPod.
 */
const untilOver = ({ connection }: ClusterShape, { metadata }: Pod, told: Told) =>
  Effect.callback<Outcome>((resume) => {
    const { name = "", namespace = "", resourceVersion = "" } = metadata
    const from = { verb: "watch", namespace, resourceVersion } as const
    const end = () => resume(Effect.succeed(Result.fail(`recycler pod "${name}" watch channel had been closed`)))
    const cancelEvents = connection.watch(
      { ...from, kind: "Event", fieldSelector: `involvedObject.name=${name}` },
      {
        events: (batch) => {
          for (const { object, type } of batch) {
            const { message = "", type: kind } = object as Event
            if (type === "ADDED") told(kind === "Warning" ? "Warning" : "Normal", message)
          }
        },
        end
      }
    )
    const cancelPod = connection.watch(
      { ...from, kind: "Pod", fieldSelector: `metadata.name=${name}` },
      {
        events: (batch) => {
          for (const { object, type } of batch) {
            const outcome = type === "BOOKMARK" ? undefined : outcomeOf(type, object as Pod)
            if (outcome !== undefined) resume(Effect.succeed(outcome))
          }
        },
        end
      }
    )
    return Effect.sync(() => {
      cancelEvents()
      cancelPod()
    })
  })

/** Deletes a pod; an Effect of the message if that failed. */
const deletePod = (cluster: ClusterShape, { metadata: { name = "", namespace } }: Pod) =>
  cluster.delete("Pod", { namespace, name }).pipe(
    Effect.as(undefined),
    Effect.catch(({ message }: ClusterError) => Effect.succeed(message))
  )

/**
 * Runs a recycler pod to its end and deletes it; undefined if it emptied the volume, else why not. Upstream:
 * pkg/volume/util/recyclerclient/recycler_client.go RecycleVolumeByWatchingPodUntilCompletion.
 */
export const runRecycler = Effect.fnUntraced(function* (cluster: ClusterShape, pod: Pod, told: Told) {
  const { name, namespace } = pod.metadata
  const created = yield* Effect.result(cluster.create("Pod", pod))
  if (Result.isFailure(created)) {
    if (!isAlreadyExists(created.failure)) return `unexpected error creating recycler pod:  ${created.failure.message}`
    // An earlier one may be somebody else's: it makes room for the next attempt.
    const problem = yield* deletePod(cluster, pod)
    return problem === undefined
      ? "old recycler pod found, will retry later"
      : `failed to delete old recycler pod ${namespace}/${name}: ${problem}`
  }
  const outcome = yield* untilOver(cluster, created.success, told)
  const problem = yield* deletePod(cluster, pod)
  if (Result.isFailure(outcome)) return `failed to recycle volume: ${outcome.failure}`
  return problem === undefined ? undefined : `failed to delete recycler pod: ${problem}`
})
