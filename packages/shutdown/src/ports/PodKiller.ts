import type { Pod } from "@rollcall/api"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

/** How to kill a pod at a node shutdown. */
export interface ShutdownKill {
  /** The grace period in seconds, instead of the pod's own. It may be 0 or less; the pod gets at least 1. */
  readonly graceSeconds: number
  /** `status.reason` and `status.message`, and the message of the DisruptionTarget condition. */
  readonly reason: string
  readonly message: string
}

/**
 * How a kill ended: `stopped` if the containers have stopped, `timedOut` after max(10, g + g/2) seconds for a grace
 * period of g.
 */
export type KillOutcome = "stopped" | "timedOut"

/** The port to the pods of the node. It is not used until a shutdown begins. */
export class PodKiller extends Context.Service<
  PodKiller,
  {
    /** The pods that the node knows and that have not terminated, in the node's order. */
    readonly activePods: Effect.Effect<ReadonlyArray<Pod>>
    /**
     * Kills a pod and completes with the outcome. When the phase ends earlier, the wait is interrupted and the pod
     * continues to terminate.
     */
    readonly kill: (pod: Pod, kill: ShutdownKill) => Effect.Effect<KillOutcome>
    /** Completes when the volumes of these pods are unmounted; interrupted when the phase ends. */
    readonly volumesUnmounted: (pods: ReadonlyArray<Pod>) => Effect.Effect<void>
    /** Posts the node's status in the background: the node has just become not ready. */
    readonly syncNodeStatus: Effect.Effect<void>
    /** Records a Normal Event about the node. */
    readonly nodeEvent: (reason: string, message: string) => Effect.Effect<void>
  }
>()("@rollcall/shutdown/PodKiller") {}
