import type { Pod } from "@rollcall/api"
import { type ClusterError, type ClusterShape, Informer, isNotFound } from "@rollcall/cluster"
import type { Plan } from "@rollcall/simulator"
import { followUsage } from "@rollcall/simulator/scenario"
import { containedRunner, Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Semaphore from "effect/Semaphore"

/** Pods become ready one by one: their shares are computed once for all of a second. */
const GATHER_MS = 1000
/** How many pods are patched at a time when the amounts of a large group change. */
const MOST_PATCHES = 32
/** Goes on for some minutes, as long as a server may be away. */
const retries = Schedule.min([Schedule.exponential("200 millis"), Schedule.spaced("10 seconds")]).pipe(
  Schedule.upTo({ times: 40 })
)

type PodChanged = (previous: Pod | undefined, next: Pod | undefined) => void

/**
 * Makes the pods of a scenario's usages use what these say, at their times after `startMs`, for as long as the scope is
 * open. Pods are watched by their labels, so that a cluster's other pods cost nothing.
 */
export const playUsage = Effect.fnUntraced(function* ({ usage }: Plan, cluster: ClusterShape, startMs: number) {
  if (usage.length === 0) return
  const timers = yield* Timers
  const fork = yield* containedRunner(timers, "usage of pods")
  const permits = Semaphore.makeUnsafe(MOST_PATCHES)
  const send = (patch: Effect.Effect<unknown, ClusterError>) =>
    fork(
      permits.withPermit(patch).pipe(
        Effect.retry({ schedule: retries, while: (error) => !isNotFound(error) }),
        // A pod that is gone uses nothing.
        Effect.catchIf(isNotFound, () => Effect.void),
        Effect.catch(({ message }) =>
          Effect.logWarning("The usage of a pod could not be written").pipe(Effect.annotateLogs({ message }))
        )
      )
    )
  const listeners: Array<PodChanged> = []
  const changed: PodChanged = (previous, next) => {
    for (const listener of listeners) listener(previous, next)
  }
  followUsage({
    usage,
    timers,
    startMs,
    listen: (listener) => listeners.push(listener),
    cluster,
    send,
    gatherMs: GATHER_MS
  })
  const selections = new Map(
    usage.map(({ labels, namespace }) => {
      const labelSelector = Object.entries(labels)
        .map(([name, value]) => `${name}=${value}`)
        .sort()
        .join()
      return [`${namespace}/${labelSelector}`, { namespace, labelSelector }]
    })
  )
  for (const selection of selections.values()) {
    yield* Informer.make("Pod", {
      ...selection,
      handlers: [
        {
          onAdd: (pod) => changed(undefined, pod),
          onUpdate: changed,
          onDelete: (pod) => changed(pod, undefined)
        }
      ]
    })
  }
})
