import type { TraceEntry } from "@rollcall/simulator/result"
import type { PodEviction } from "../ReportContext.ts"
import type { EntryDescription, EntryPlaces } from "./EntryDescription.ts"

/** Returns the text about a rate at which lost nodes are tainted or emptied. */
const rateText = (nodesPerSecond: number, podEviction: PodEviction): string => {
  const what = podEviction === "taints" ? "tainted for eviction" : "emptied"
  return nodesPerSecond === 0
    ? `no more nodes are ${what} (0 nodes/s)`
    : `nodes are ${what} at ${Number(nodesPerSecond.toPrecision(3))} nodes/s`
}

/** Describes the states of zones, and the election of leaders. Returns undefined for other entries. */
export const describeZone = (entry: TraceEntry, places: EntryPlaces): EntryDescription | undefined => {
  switch (entry.type) {
    case "LeaderChanged":
      return {
        key: "",
        topic: "leader",
        subject: "",
        gap: 0,
        text: () => `${entry.holder} leads as ${entry.component}, without the state of its predecessor`
      }
    case "ZoneStateChanged":
      if (entry.from === "Initial" && entry.to === "Normal") return undefined
      return {
        key: "",
        topic: "zones",
        subject: "",
        gap: 0,
        text: () => `${entry.zone || "(no zone)"}: ${entry.from} → ${entry.to}`
      }
    case "ZoneRateChanged":
      return {
        key: "",
        topic: "zones",
        subject: "",
        gap: 0,
        text: () => `${entry.zone || "(no zone)"}: ${rateText(entry.nodesPerSecond, places.podEviction)}`
      }
    case "AllZonesDown":
      return {
        key: "",
        topic: "zones",
        subject: "",
        gap: 0,
        text: () =>
          entry.entered
            ? "every zone is down: the node controller assumes that it is cut off itself and evicts no pod"
            : "a zone has a Ready node again: evictions can continue"
      }
    default:
      return undefined
  }
}
