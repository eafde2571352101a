import { type DeletedBy, isEviction, type TraceEntry } from "@rollcall/simulator/result"
import { clock, plural, some } from "@rollcall/text"
import { type EntryDescription, type EntryPlaces, RATE_LIMITED_SECONDS, SAME_PASS_SECONDS } from "./EntryDescription.ts"

/** The causes of forced deletions of pods that may still run. */
const forcingCauses: ReadonlyArray<DeletedBy> = ["node-controller", "pod-gc", "user"]

/** Describes the eviction and deletion of pods. Returns undefined for other entries, and for those that the timeline leaves out. */
export const describeEviction = (entry: TraceEntry, places: EntryPlaces): EntryDescription | undefined => {
  switch (entry.type) {
    case "PodEvictionScheduled":
      return {
        key: "scheduled",
        topic: "pods",
        minor: true,
        subject: entry.pod,
        gap: RATE_LIMITED_SECONDS,
        text: (pods, _from, _to, entries) => {
          const due = entries.flatMap((one) => (one.type === "PodEvictionScheduled" ? [one.due] : []))
          const first = due.reduce((least, at) => Math.min(least, at), entry.due)
          const last = due.reduce((most, at) => Math.max(most, at), entry.due)
          const when = last - first < 1 ? `at ${clock(first)}` : `from ${clock(first)} to ${clock(last)}`
          return `${plural(pods.length, "pod")}${places.zonesOfEntries(entries)} to be evicted ${when}, unless the node recovers`
        }
      }
    case "PodEvictionCancelled":
      return {
        key: "cancelled",
        topic: "pods",
        subject: entry.pod,
        gap: SAME_PASS_SECONDS,
        text: (pods, _from, _to, entries) =>
          `${plural(pods.length, "pod")}${places.zonesOfEntries(entries)} eviction cancelled`
      }
    case "PodDeletionRequested":
      if (entry.by === "workload") return undefined
      if (entry.gracePeriodSeconds === 0) {
        if (entry.node === "" || !forcingCauses.includes(entry.by)) return undefined
        return {
          key: `forced ${entry.by}`,
          topic: "pods",
          subject: entry.pod,
          gap: RATE_LIMITED_SECONDS,
          text: (pods, _from, _to, entries) =>
            `${plural(pods.length, "pod")}${places.zonesOfEntries(entries)} force-deleted (${entry.by}), whether or not they still run: ${some(pods, 2)}`
        }
      }
      return {
        key: `deletion ${entry.by}`,
        topic: "pods",
        subject: entry.pod,
        gap: RATE_LIMITED_SECONDS,
        text: (pods, _from, _to, entries) =>
          `${plural(pods.length, "pod")}${places.zonesOfEntries(entries)} ${isEviction(entry.by) ? "evicted" : `deleted (${entry.by})`}: ${some(pods, 2)}`
      }
    default:
      return undefined
  }
}
