import type { Pod } from "@rollcall/api"
import { contained, type HandleError } from "@rollcall/time"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import type { ShutdownBucket } from "../config/ShutdownConfig.ts"
import { groupByPriority, type ShutdownGroup } from "../plan/groupByPriority.ts"
import { killGrace } from "../plan/killGrace.ts"
import { terminatedMessage, terminatedReason } from "../plan/terminatedStatus.ts"
import type { PodKiller } from "../ports/PodKiller.ts"
import type { ObserveShutdown } from "./ShutdownEvent.ts"

/**
 * Volumes are waited for at most this long, however long the phase. Upstream: volumemanager podAttachAndMountTimeout.
 */
const UNMOUNT_LIMIT = "123 seconds"

interface Killing {
  readonly killer: PodKiller["Service"]
  /** Kills that outlast their phase continue in this scope. */
  readonly scope: Scope.Scope
  readonly observe: ObserveShutdown
  readonly handleError: HandleError
}

const named = ({ metadata: { name, namespace } }: Pod): string => `${namespace ?? ""}/${name ?? ""}`

const killOne = Effect.fnUntraced(function* (killer: PodKiller["Service"], pod: Pod, graceSeconds: number) {
  const about = Effect.annotateLogs({ pod: named(pod) })
  yield* Effect.logDebug("Shutdown manager killing pod with gracePeriod").pipe(
    Effect.annotateLogs({ gracePeriod: graceSeconds }),
    about
  )
  const outcome = yield* killer.kill(pod, { graceSeconds, reason: terminatedReason, message: terminatedMessage })
  yield* outcome === "stopped"
    ? about(Effect.logDebug("Shutdown manager finished killing pod"))
    : about(
        Effect.logDebug("Shutdown manager failed killing pod").pipe(
          Effect.annotateLogs({ err: "timeout waiting to kill pod" })
        )
      )
})

/** Storage drivers usually run in later phases, so volumes must be unmounted before this phase ends. */
const awaitVolumes = (killer: PodKiller["Service"], pods: ReadonlyArray<Pod>) =>
  killer.volumesUnmounted(pods).pipe(
    Effect.timeoutOption(UNMOUNT_LIMIT),
    Effect.flatMap((gone) =>
      Option.isSome(gone)
        ? Effect.void
        : Effect.logError("Failed while waiting for all the volumes belonging to Pods in this group to unmount").pipe(
            Effect.annotateLogs({ pods: pods.map(named) })
          )
    )
  )

const killGroup = Effect.fnUntraced(function* (
  { bucket: { priority, shutdownGracePeriodSeconds: graceSeconds }, pods }: ShutdownGroup,
  { handleError, killer, observe, scope }: Killing
) {
  const requests = pods.map((pod) => ({ pod, graceSeconds: killGrace(pod, graceSeconds) }))
  observe({ type: "phaseStarted", priority, graceSeconds, pods: requests })
  // Each kill is requested before the phase's time starts, so that a group of 0 seconds gets its requests too.
  const kills = yield* Effect.forEach(requests, ({ graceSeconds: own, pod }) =>
    Effect.forkIn(
      contained({ handleError }, "shutdown manager", killOne(killer, pod, own), { pod: named(pod) }),
      scope,
      {
        startImmediately: true
      }
    )
  )
  const over = yield* Fiber.awaitAll(kills).pipe(
    Effect.andThen(
      contained(
        { handleError },
        "shutdown manager",
        Effect.suspend(() => awaitVolumes(killer, pods))
      )
    ),
    Effect.timeoutOption(Duration.seconds(Math.max(0, graceSeconds)))
  )
  const timedOut = Option.isNone(over)
  yield* Effect.logDebug(
    timedOut ? "Shutdown manager pod killing time out" : "Done waiting for all pods in group to terminate"
  ).pipe(Effect.annotateLogs({ gracePeriod: graceSeconds, priority }))
  observe({ type: "phaseEnded", priority, timedOut })
})

/**
 * Kills pods, bucket after bucket. A phase ends when its pods have terminated and their volumes are unmounted, or when
 * its seconds have passed; pods that still run then continue to terminate while the next phase runs.
 * Upstream: podManager.killPods.
 */
export const killPodsByPhase = Effect.fnUntraced(function* (
  buckets: ReadonlyArray<ShutdownBucket>,
  pods: ReadonlyArray<Pod>,
  killing: Killing
) {
  for (const group of groupByPriority(buckets, pods)) {
    if (group.pods.length > 0) yield* killGroup(group, killing)
  }
})
