import type { TraceEntry } from "@rollcall/simulator/result"
import { plural, some } from "@rollcall/text"
import { pace } from "../pace.ts"
import { type EntryDescription, type EntryPlaces, MOMENT, RATE_LIMITED } from "./EntryDescription.ts"

/** Describes the registration, deletion, conditions, taints and cordons of nodes. */
export const describeNode = (entry: TraceEntry, places: EntryPlaces): EntryDescription | undefined => {
  switch (entry.type) {
    case "NodeRegistered":
    case "NodeDeleted": {
      const verb = entry.type === "NodeRegistered" ? "registered" : "deleted"
      return {
        key: entry.type,
        topic: "nodes",
        subject: entry.node,
        gap: MOMENT,
        text: (nodes) => `${plural(nodes.length, "node")} ${verb}: ${some(nodes)}`
      }
    }
    case "ConditionChanged": {
      if (entry.from === null && (entry.condition === "Ready" ? entry.to !== "Unknown" : entry.to !== "True"))
        return undefined
      if (entry.condition !== "Ready" && entry.to === "Unknown") return undefined
      if (entry.condition !== "Ready" && entry.from !== "True" && entry.to !== "True") return undefined
      return {
        key: `condition ${entry.condition} ${entry.from} ${entry.to}`,
        topic: "nodes",
        subject: entry.node,
        gap: MOMENT,
        text: (nodes) =>
          `${plural(nodes.length, "node")}${places.ofNodes(nodes)}: ${entry.condition} ${entry.from ?? "(new)"} → ${entry.to ?? "(gone)"} (${entry.reason})`
      }
    }
    case "TaintAdded":
    case "TaintRemoved": {
      if (
        entry.effect === "NoSchedule" &&
        entry.key.startsWith("node.kubernetes.io/") &&
        !entry.key.endsWith("out-of-service")
      ) {
        return undefined
      }
      const added = entry.type === "TaintAdded"
      return {
        key: `${entry.type} ${added ? places.zone : ""} ${entry.key}:${entry.effect}`,
        topic: "taints",
        subject: entry.node,
        gap: added ? RATE_LIMITED : MOMENT,
        text: (nodes, _from, _to, entries) =>
          `${plural(nodes.length, "node")}${places.ofNodes(nodes)} ${added ? "get" : "lose"}${nodes.length === 1 ? "s" : ""} ${entry.key}:${entry.effect}${pace(entries.map(({ at }) => at))}: ${some(nodes)}`
      }
    }
    case "CordonChanged":
      return {
        key: `cordon ${entry.unschedulable}`,
        topic: "nodes",
        subject: entry.node,
        gap: MOMENT,
        text: (nodes) => `${entry.unschedulable ? "cordoned" : "uncordoned"}: ${some(nodes)}`
      }
    default:
      return undefined
  }
}
