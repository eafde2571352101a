import type { TraceEntry } from "@rollcall/simulator/result"
import { plural, some, span } from "@rollcall/text"
import { type EntryDescription, type EntryPlaces, SAME_PASS_SECONDS } from "./EntryDescription.ts"

/** Describes the phases of a node shutdown. Returns undefined for other entries. */
export const describeShutdown = (entry: TraceEntry, places: EntryPlaces): EntryDescription | undefined => {
  switch (entry.type) {
    case "ShutdownStarted":
      return {
        key: `shutdown ${places.zone} ${entry.delaySeconds}`,
        topic: "shutdown",
        subject: entry.node,
        gap: SAME_PASS_SECONDS,
        text: (nodes) =>
          entry.delaySeconds === 0
            ? `${plural(nodes.length, "node")}${places.inZone} shut${nodes.length === 1 ? "s" : ""} down without waiting for pods: ${some(nodes)}`
            : `${plural(nodes.length, "node")}${places.inZone} prepare${nodes.length === 1 ? "s" : ""} for shutdown, with at most ${span(entry.delaySeconds)} for pods: ${some(nodes)}`
      }
    case "ShutdownPhase": {
      const pods = entry.pods.map(({ pod }) => pod)
      return {
        key: "",
        topic: "shutdown",
        subject: "",
        gap: 0,
        text: () =>
          `${entry.node}: ${plural(pods.length, "pod")} of priority ${entry.priority} and up ${pods.length === 1 ? "has" : "have"} ${span(entry.graceSeconds)}: ${some(pods)}`
      }
    }
    case "ShutdownCancelled":
    case "ShutdownFinished": {
      const what =
        entry.type === "ShutdownCancelled"
          ? "shutdown cancelled; stopped pods stay stopped"
          : entry.cutOff
            ? "powers off before the pods have ended"
            : "powers off"
      return {
        key: `${entry.type} ${what}`,
        topic: "shutdown",
        subject: entry.node,
        gap: SAME_PASS_SECONDS,
        text: (nodes) => `${some(nodes)}: ${what}`
      }
    }
    default:
      return undefined
  }
}
