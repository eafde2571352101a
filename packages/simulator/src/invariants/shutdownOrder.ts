import { span } from "@rollcall/text"
import type { Invariant, Report } from "./Invariant.ts"

/** A node that shuts down ends its pods by priority, the least important first, and gives none more time than its phase has. */
export const shutdownOrder = (report: Report): Invariant => {
  /** Nodes that shut down, with the priority of the last phase that began. */
  const under = new Map<string, number>()
  const forget = (nodes: ReadonlyArray<string>) => {
    for (const node of nodes) under.delete(node)
  }
  return {
    entry: (entry) => {
      switch (entry.type) {
        case "ShutdownStarted":
          under.set(entry.node, Number.NEGATIVE_INFINITY)
          return
        case "ShutdownPhase": {
          const { graceSeconds, node, pods, priority } = entry
          const last = under.get(node)
          if (last !== undefined && priority <= last) {
            report(`${node} ends pods of priority ${priority} after those of ${last}`)
          }
          if (last !== undefined) under.set(node, priority)
          for (const pod of pods) {
            if (pod.graceSeconds > graceSeconds) {
              report(
                `${pod.namespace}/${pod.pod} has ${span(pod.graceSeconds)} on ${node}, in a phase of ${span(graceSeconds)}`
              )
            }
          }
          return
        }
        case "ShutdownFinished":
        case "ShutdownCancelled":
          under.delete(entry.node)
          return
        case "FaultStarted":
        case "FaultEnded":
        case "Action":
          // What befalls a machine or its kubelet in mid-shutdown begins it anew, or ends it.
          forget(entry.nodes)
          return
        default:
          return
      }
    }
  }
}
