import type { Pod } from "@rollcall/api"
import type { KillOutcome, PodKiller } from "@rollcall/shutdown"
import * as Effect from "effect/Effect"
import type { ShutdownMachine } from "./ShutdownMachine.ts"

/** Makes the port through which a shutdown manager kills the pods of a kubelet. */
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
