import { span } from "@rollcall/text"
import type { Invariant, Report } from "./Invariant.ts"

/** Checks that a node shutdown ends pods in ascending priority, and gives no pod a longer grace period than its phase. */
export const shutdownOrder = (report: Report): Invariant => {
  /** Nodes that are shutting down, with the priority of their current phase. */
  const phasePriority = new Map<string, number>()
  const forget = (nodes: ReadonlyArray<string>) => {
    for (const node of nodes) phasePriority.delete(node)
  }
  return {
    entry: (entry) => {
      switch (entry.type) {
        case "ShutdownStarted":
          phasePriority.set(entry.node, Number.NEGATIVE_INFINITY)
          return
        case "ShutdownPhase": {
          const { graceSeconds, node, pods, priority } = entry
          const last = phasePriority.get(node)
          if (last !== undefined && priority <= last) {
            report(`${node} ended pods of priority ${priority} after pods of priority ${last}`)
          }
          if (last !== undefined) phasePriority.set(node, priority)
          for (const pod of pods) {
            if (pod.graceSeconds > graceSeconds) {
              report(
                `${pod.namespace}/${pod.pod} got a grace period of ${span(pod.graceSeconds)} on ${node}, in a phase of ${span(graceSeconds)}`
              )
            }
          }
          return
        }
        case "ShutdownFinished":
        case "ShutdownCancelled":
          phasePriority.delete(entry.node)
          return
        case "FaultStarted":
        case "FaultEnded":
        case "Action":
          // A fault or action on a machine or its kubelet restarts or ends its shutdown.
          forget(entry.nodes)
          return
        default:
          return
      }
    }
  }
}
