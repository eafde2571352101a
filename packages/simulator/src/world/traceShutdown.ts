import type { MachineShutdownEvent } from "@rollcall/machines"
import type { Trace } from "../trace/Trace.ts"

/** Adds the trace entry for one step of a machine's shutdown. */
export const traceShutdown = (trace: Trace, node: string, event: MachineShutdownEvent): void => {
  if (event.type === "started") trace.add("ShutdownStarted", { node, delaySeconds: event.delaySeconds })
  else if (event.type === "cancelled") trace.add("ShutdownCancelled", { node })
  else if (event.type === "poweredOff") trace.add("ShutdownFinished", { node, cutOff: event.cutOff })
  else {
    const pods = event.pods.map(({ graceSeconds, pod: { metadata } }) => ({
      namespace: metadata.namespace ?? "",
      pod: metadata.name ?? "",
      graceSeconds
    }))
    trace.add("ShutdownPhase", { node, priority: event.priority, graceSeconds: event.graceSeconds, pods })
  }
}
