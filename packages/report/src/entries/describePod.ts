import type { TraceEntry } from "@rollcall/simulator/result"
import { plural, some } from "@rollcall/text"
import { type EntryDescription, type EntryPlaces, SAME_PASS_SECONDS } from "./EntryDescription.ts"

/** Describes the life of pods on their nodes. Returns undefined for other entries, and for those that the timeline leaves out. */
export const describePod = (entry: TraceEntry, places: EntryPlaces): EntryDescription | undefined => {
  switch (entry.type) {
    case "PodCreated":
      if (entry.owner === null) return undefined
      return {
        key: "created",
        topic: "pods",
        minor: true,
        // The owner comes first, so that `text` can list the owners.
        subject: `${entry.owner} ${entry.pod}`,
        gap: SAME_PASS_SECONDS,
        text: (pods) => {
          const owners = [...new Set(pods.map((subject) => subject.split(" ")[0] ?? ""))]
          return `${plural(pods.length, "pod")} created by ${some(owners, 2)}`
        }
      }
    case "PodRejected":
      return {
        key: `rejected ${places.zone} ${entry.reason}`,
        topic: "pods",
        subject: entry.pod,
        gap: SAME_PASS_SECONDS,
        text: (pods) =>
          `${plural(pods.length, "pod")}${places.inZone} rejected by the node (${entry.reason}): ${some(pods)}`
      }
    case "PodPhaseChanged":
      if (entry.from !== "Running" || entry.to !== "Failed" || entry.reason === "") return undefined
      return {
        key: `failed ${places.zone} ${entry.reason}`,
        topic: "pods",
        subject: entry.pod,
        gap: SAME_PASS_SECONDS,
        text: (pods) =>
          `${plural(pods.length, "pod")}${places.inZone} ended by the node (${entry.reason}): ${some(pods)}`
      }
    case "PodReadyChanged":
      return {
        key: `ready ${entry.ready}`,
        topic: "pods",
        minor: entry.ready,
        subject: entry.pod,
        gap: SAME_PASS_SECONDS,
        text: (pods, _from, _to, entries) =>
          `${plural(pods.length, "pod")}${places.zonesOfEntries(entries)} ${entry.ready ? "ready" : `not ready: removed from ${pods.length === 1 ? "its" : "their"} Services`}`
      }
    case "PodUnschedulable":
      return {
        key: `unschedulable ${entry.message}`,
        topic: "pods",
        subject: entry.pod,
        gap: SAME_PASS_SECONDS,
        text: (pods) =>
          `${plural(pods.length, "pod")} cannot be scheduled: ${entry.message.replace(/ (no new claims to deallocate, )?preemption: .*$/, "")}`
      }
    case "SplitBrain":
      return {
        key: "split brain",
        topic: "pods",
        subject: `${entry.pod} on ${some(entry.nodes)}`,
        gap: SAME_PASS_SECONDS,
        text: (pods) => `two pods of one identity run at once: ${some(pods)}`
      }
    default:
      return undefined
  }
}
