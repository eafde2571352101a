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
 * The longest wait for volumes, regardless of the phase's time (2 minutes and 3 seconds). Upstream:
 * pkg/kubelet/volumemanager podAttachAndMountTimeout.
 */
const UNMOUNT_LIMIT = "123 seconds"

/** What killing pods depends on. */
interface KillDependencies {
  readonly killer: PodKiller["Service"]
  /** Kills that outlast their phase continue in this scope. */
  readonly scope: Scope.Scope
  readonly observe: ObserveShutdown
  readonly handleError: HandleError
}

const nameOf = ({ metadata: { name, namespace } }: Pod): string => `${namespace ?? ""}/${name ?? ""}`

const killOne = Effect.fnUntraced(function* (killer: PodKiller["Service"], pod: Pod, graceSeconds: number) {
  const withPodName = Effect.annotateLogs({ pod: nameOf(pod) })
  yield* Effect.logDebug("Shutdown manager killing pod with gracePeriod").pipe(
    Effect.annotateLogs({ gracePeriod: graceSeconds }),
    withPodName
  )
  const outcome = yield* killer.kill(pod, { graceSeconds, reason: terminatedReason, message: terminatedMessage })
  yield* outcome === "stopped"
    ? withPodName(Effect.logDebug("Shutdown manager finished killing pod"))
    : withPodName(
        Effect.logDebug("Shutdown manager failed killing pod").pipe(
          Effect.annotateLogs({ err: "timeout waiting to kill pod" })
        )
      )
})

/** Waits until the pods' volumes are unmounted: storage drivers usually run in a later phase. */
const awaitVolumes = (killer: PodKiller["Service"], pods: ReadonlyArray<Pod>) =>
  killer.volumesUnmounted(pods).pipe(
    Effect.timeoutOption(UNMOUNT_LIMIT),
    Effect.flatMap((unmounted) =>
      Option.isSome(unmounted)
        ? Effect.void
        : Effect.logError("Failed while waiting for all the volumes belonging to Pods in this group to unmount").pipe(
            Effect.annotateLogs({ pods: pods.map(nameOf) })
          )
    )
  )

const killGroup = Effect.fnUntraced(function* (
  { bucket: { priority, shutdownGracePeriodSeconds: graceSeconds }, pods }: ShutdownGroup<Pod>,
  { handleError, killer, observe, scope }: KillDependencies
) {
  const requests = pods.map((pod) => ({ pod, graceSeconds: killGrace(pod, graceSeconds) }))
  observe({ type: "phaseStarted", priority, graceSeconds, pods: requests })
  // Each kill is requested before the phase's time starts, so that a group of 0 seconds gets its requests too.
  const kills = yield* Effect.forEach(requests, ({ graceSeconds: podGraceSeconds, pod }) =>
    Effect.forkIn(
      contained({ handleError }, "shutdown manager", killOne(killer, pod, podGraceSeconds), { pod: nameOf(pod) }),
      scope,
      {
        startImmediately: true
      }
    )
  )
  const completed = yield* Fiber.awaitAll(kills).pipe(
    Effect.andThen(
      contained(
        { handleError },
        "shutdown manager",
        Effect.suspend(() => awaitVolumes(killer, pods))
      )
    ),
    Effect.timeoutOption(Duration.seconds(Math.max(0, graceSeconds)))
  )
  const timedOut = Option.isNone(completed)
  yield* Effect.logDebug(
    timedOut ? "Shutdown manager pod killing time out" : "Done waiting for all pods in group to terminate"
  ).pipe(Effect.annotateLogs({ gracePeriod: graceSeconds, priority }))
  observe({ type: "phaseEnded", priority, timedOut })
})

/**
 * Kills pods, bucket after bucket. A phase ends when its pods have terminated and their volumes are unmounted, or when
 * its seconds have passed. Pods that still run then continue to terminate while the next phase runs. Upstream:
 * pkg/kubelet/nodeshutdown/nodeshutdown_manager.go killPods.
 */
export const killPodsByPhase = Effect.fnUntraced(function* (
  buckets: ReadonlyArray<ShutdownBucket>,
  pods: ReadonlyArray<Pod>,
  dependencies: KillDependencies
) {
  for (const group of groupByPriority(buckets, pods)) {
    if (group.pods.length > 0) yield* killGroup(group, dependencies)
  }
})
