import type { Pod } from "@rollcall/api"
import type { KillOutcome, PodKiller } from "@rollcall/shutdown"
import * as Effect from "effect/Effect"
import type { ShutdownMachine } from "./ShutdownMachine.ts"

/** The pods of a kubelet, for its shutdown manager. */
export const makePodKiller = (kubelet: () => ShutdownMachine["kubelet"]): PodKiller["Service"] => ({
  activePods: Effect.sync(() => kubelet().activePods()),
  kill: (pod: Pod, { graceSeconds, message, reason }) =>
    Effect.callback<KillOutcome>((resume) =>
      kubelet().killPod(pod.metadata.uid ?? "", {
        graceSeconds,
        reason,
        message,
        disruption: message,
        done: (outcome) => resume(Effect.succeed(outcome))
      })
    ),
  // Modelled volumes are unmounted when the pod's containers stop.
  volumesUnmounted: () => Effect.void,
  syncNodeStatus: Effect.sync(() => kubelet().syncNodeStatus()),
  nodeEvent: (reason, message) => Effect.sync(() => kubelet().nodeEvent("Normal", reason, message))
})
