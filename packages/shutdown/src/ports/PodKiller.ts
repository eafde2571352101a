import type { Pod } from "@rollcall/api"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

/** How a pod is ended at a node shutdown. */
export interface ShutdownKill {
  /** Seconds, instead of the pod's own; may be 0 or less, the pod gets no less than one. */
  readonly graceSeconds: number
  /** `status.reason` and `status.message`, and the message of the DisruptionTarget condition. */
  readonly reason: string
  readonly message: string
}

/** How a kill ended: the containers are down, or they took longer than a kill may take, max(10, g + g/2) seconds. */
export type KillOutcome = "stopped" | "timedOut"

/** The port to the pods of the node that goes down. It is asked for nothing until a shutdown begins. */
export class PodKiller extends Context.Service<
  PodKiller,
  {
    /** Pods that are known to the node and not over, in its order. */
    readonly activePods: Effect.Effect<ReadonlyArray<Pod>>
    /**
     * Ends a pod. Completes with the outcome; when its phase is over before, the wait is interrupted, and the pod goes on
     * ending by itself.
     */
    readonly kill: (pod: Pod, kill: ShutdownKill) => Effect.Effect<KillOutcome>
    /** Completes when the volumes of these pods are unmounted; interrupted when the phase is over. */
    readonly volumesUnmounted: (pods: ReadonlyArray<Pod>) => Effect.Effect<void>
    /** Posts the node's status in the background: it has just become not ready. */
    readonly syncNodeStatus: Effect.Effect<void>
    /** A Normal Event about the node. */
    readonly nodeEvent: (reason: string, message: string) => Effect.Effect<void>
  }
>()("@rollcall/shutdown/PodKiller") {}
