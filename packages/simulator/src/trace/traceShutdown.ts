import type { MachineShutdownEvent } from "../world/MachineShutdown.ts"
import type { Trace } from "./Trace.ts"

/** What becomes of a machine that is told to go down. */
export const traceShutdown = (trace: Trace, node: string, event: MachineShutdownEvent): void => {
  switch (event.type) {
    case "started":
      return trace.add("ShutdownStarted", { node, delaySeconds: event.delaySeconds })
    case "phaseStarted": {
      const pods = event.pods.map(({ graceSeconds, pod: { metadata } }) => ({
        namespace: metadata.namespace ?? "",
        pod: metadata.name ?? "",
        graceSeconds
      }))
      return trace.add("ShutdownPhase", { node, priority: event.priority, graceSeconds: event.graceSeconds, pods })
    }
    case "cancelled":
      return trace.add("ShutdownCancelled", { node })
    case "poweredOff":
      return trace.add("ShutdownFinished", { node, cutOff: event.cutOff })
  }
}
