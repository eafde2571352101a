import { type DeletedBy, isEviction, type TraceEntry } from "@rollcall/simulator/result"
import { clock, plural, some } from "@rollcall/text"
import { type EntryDescription, type EntryPlaces, MOMENT, RATE_LIMITED } from "./EntryDescription.ts"

/** The causes that can force-delete a pod that its node has not stopped. */
const byForce: ReadonlyArray<DeletedBy> = ["node-controller", "pod-gc", "user"]

/** Describes the eviction and deletion of pods. */
export const describeEviction = (entry: TraceEntry, places: EntryPlaces): EntryDescription | undefined => {
  switch (entry.type) {
    case "PodEvictionScheduled":
      return {
        key: "scheduled",
        topic: "pods",
        minor: true,
        subject: entry.pod,
        gap: RATE_LIMITED,
        text: (pods, _from, _to, entries) => {
          const due = entries.flatMap((one) => (one.type === "PodEvictionScheduled" ? [one.due] : []))
          const first = due.reduce((least, at) => Math.min(least, at), entry.due)
          const last = due.reduce((most, at) => Math.max(most, at), entry.due)
          const when = last - first < 1 ? `at ${clock(first)}` : `from ${clock(first)} to ${clock(last)}`
          return `${plural(pods.length, "pod")}${places.ofEntries(entries)} to be evicted ${when}, unless the node recovers`
        }
      }
    case "PodEvictionCancelled":
      return {
        key: "cancelled",
        topic: "pods",
        subject: entry.pod,
        gap: MOMENT,
        text: (pods, _from, _to, entries) =>
          `${plural(pods.length, "pod")}${places.ofEntries(entries)} eviction cancelled`
      }
    case "PodDeletionRequested":
      if (entry.by === "workload") return undefined
      if (entry.gracePeriodSeconds === 0) {
        if (entry.node === "" || !byForce.includes(entry.by)) return undefined
        return {
          key: `forced ${entry.by}`,
          topic: "pods",
          subject: entry.pod,
          gap: RATE_LIMITED,
          text: (pods, _from, _to, entries) =>
            `${plural(pods.length, "pod")}${places.ofEntries(entries)} force-deleted (${entry.by}), whether or not they still run: ${some(pods, 2)}`
        }
      }
      return {
        key: `deletion ${entry.by}`,
        topic: "pods",
        subject: entry.pod,
        gap: RATE_LIMITED,
        text: (pods, _from, _to, entries) =>
          `${plural(pods.length, "pod")}${places.ofEntries(entries)} ${isEviction(entry.by) ? "evicted" : `deleted (${entry.by})`}: ${some(pods, 2)}`
      }
    default:
      return undefined
  }
}
