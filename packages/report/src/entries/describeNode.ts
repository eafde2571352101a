import type { TraceEntry } from "@rollcall/simulator/result"
import { plural, some } from "@rollcall/text"
import { paceText } from "../pace.ts"
import { type EntryDescription, type EntryPlaces, RATE_LIMITED_SECONDS, SAME_PASS_SECONDS } from "./EntryDescription.ts"

/**
 * Describes the registration, deletion, conditions, taints and cordons of nodes. Returns undefined for other entries, and for those that
 * the timeline leaves out.
 */
export const describeNode = (entry: TraceEntry, places: EntryPlaces): EntryDescription | undefined => {
  switch (entry.type) {
    case "NodeRegistered":
    case "NodeDeleted": {
      const verb = entry.type === "NodeRegistered" ? "registered" : "deleted"
      return {
        key: entry.type,
        topic: "nodes",
        subject: entry.node,
        gap: SAME_PASS_SECONDS,
        text: (nodes) => `${plural(nodes.length, "node")} ${verb}: ${some(nodes)}`
      }
    }
    case "ConditionChanged": {
      // Left out: conditions that a new node has from the start, unless they are bad, and others that become Unknown together with Ready.
      if (entry.from === null && (entry.condition === "Ready" ? entry.to !== "Unknown" : entry.to !== "True"))
        return undefined
      if (entry.condition !== "Ready" && entry.to === "Unknown") return undefined
      if (entry.condition !== "Ready" && entry.from !== "True" && entry.to !== "True") return undefined
      return {
        key: `condition ${entry.condition} ${entry.from} ${entry.to}`,
        topic: "nodes",
        subject: entry.node,
        gap: SAME_PASS_SECONDS,
        text: (nodes) =>
          `${plural(nodes.length, "node")}${places.zonesOfNodes(nodes)}: ${entry.condition} ${entry.from ?? "(new)"} → ${entry.to ?? "(gone)"} (${entry.reason})`
      }
    }
    case "TaintAdded":
    case "TaintRemoved": {
      // These taints repeat a condition or a cordon, which has its own line.
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
        gap: added ? RATE_LIMITED_SECONDS : SAME_PASS_SECONDS,
        text: (nodes, _from, _to, entries) =>
          `${plural(nodes.length, "node")}${places.zonesOfNodes(nodes)} ${added ? "get" : "lose"}${nodes.length === 1 ? "s" : ""} ${entry.key}:${entry.effect}${paceText(entries.map(({ at }) => at))}: ${some(nodes)}`
      }
    }
    case "CordonChanged":
      return {
        key: `cordon ${entry.unschedulable}`,
        topic: "nodes",
        subject: entry.node,
        gap: SAME_PASS_SECONDS,
        text: (nodes) => `${entry.unschedulable ? "cordoned" : "uncordoned"}: ${some(nodes)}`
      }
    default:
      return undefined
  }
}
