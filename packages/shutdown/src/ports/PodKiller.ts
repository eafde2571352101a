import type { Pod } from "@rollcall/api"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

/** How a pod is ended at a node shutdown. */
export interface ShutdownKill {
  /** Seconds, instead of the pod's own. */
  readonly graceSeconds: number
  /** `status.reason` and `status.message`, and the message of the DisruptionTarget condition. */
  readonly reason: string
  readonly message: string
}

/** The port to the pods of the node that goes down. */
export class PodKiller extends Context.Service<
  PodKiller,
  {
    /** Pods that are known to the node and not over, in its order. */
    readonly activePods: Effect.Effect<ReadonlyArray<Pod>>
    /** Ends a pod; completes when its containers are down, or when they took longer than a kill may take. Never fails. */
    readonly kill: (pod: Pod, kill: ShutdownKill) => Effect.Effect<void>
    /** Completes when the volumes of these pods are unmounted; interrupted when the phase is over. */
    readonly volumesUnmounted: (pods: ReadonlyArray<Pod>) => Effect.Effect<void>
    /** Posts the node's status in the background: it has just become not ready. */
    readonly syncNodeStatus: Effect.Effect<void>
    /** A Normal Event about the node. */
    readonly nodeEvent: (reason: string, message: string) => Effect.Effect<void>
  }
>()("@rollcall/shutdown/PodKiller") {}
