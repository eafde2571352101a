import type { EventDetails } from "@rollcall/simulator/result"
import { type DeletedBy, isEviction, type TraceEntry } from "@rollcall/simulator/result"
import { clock, plural, some, span } from "@rollcall/text"
import { actionText, faultText } from "./eventText.ts"
import { pace } from "./pace.ts"
import type { Done, ReportContext } from "./ReportContext.ts"
import { inZones, onNodes } from "./zonesText.ts"

/** How a trace entry is grouped with others and described. */
export interface EntryDescription {
  /** Entries with the same key that follow each other closely share one line; "" is never shared. */
  readonly key: string
  readonly topic: string
  /** The node or pod that the line counts. */
  readonly subject: string
  /** The most seconds between two entries of one line. */
  readonly gap: number
  readonly minor?: boolean
  readonly text: (
    subjects: ReadonlyArray<string>,
    from: number,
    to: number,
    entries: ReadonlyArray<TraceEntry>
  ) => string
}

/** A little more than the interval between two passes of the node controller. */
const MOMENT = 6.5
/** Longer than the interval between two NoExecute taints at the slower of the default rates, 0.01 nodes a second. */
const RATE_LIMITED = 110

/** The causes that can force-delete a pod that its node has not stopped. */
const byForce: ReadonlyArray<DeletedBy> = ["node-controller", "pod-gc", "user"]

/** Describes a rate at which lost nodes are tainted or emptied. */
export const rateText = (nodesPerSecond: number, done: Done = "taints"): string => {
  const what = done === "taints" ? "tainted for eviction" : "emptied"
  return nodesPerSecond === 0
    ? `no more nodes are ${what} (0 nodes/s)`
    : `nodes are ${what} at ${Number(nodesPerSecond.toPrecision(3))} nodes/s`
}

/** The scenario's event behind a fault or an action. */
export interface EventContext {
  readonly event?: EventDetails | undefined
  /** Whether to explain the fault, because it is the first of its name. */
  readonly explain?: boolean
}

/** Returns the description of a trace entry; undefined: the timeline leaves it out. */
export const describeEntry = (
  entry: TraceEntry,
  context: ReportContext,
  { event, explain = false }: EventContext = {}
): EntryDescription | undefined => {
  const { podEviction: done = "taints", zoneOf } = context
  const ofNodes = (nodes: ReadonlyArray<string>) => inZones(nodes, zoneOf)
  /** Describes the zones of the entries' pods, each pod once. */
  const ofEntries = (entries: ReadonlyArray<TraceEntry>) => {
    const nodeOf = new Map(
      entries.flatMap((one) => ("pod" in one && "node" in one ? [[one.pod, one.node ?? ""] as const] : []))
    )
    return inZones([...nodeOf.values()], zoneOf)
  }
  const zone = "node" in entry && entry.node !== undefined && entry.node !== "" ? zoneOf(entry.node) : ""
  const at = zone === "" ? "" : ` in ${zone}`
  switch (entry.type) {
    case "FaultStarted":
    case "FaultEnded": {
      const what = entry.type === "FaultStarted" ? `begins${faultText(entry.fault, event, explain)}` : "ends"
      const nodes = entry.nodes.length === 0 ? "" : ` on ${onNodes(entry.nodes, context)}`
      return { key: "", topic: "fault", subject: "", gap: 0, text: () => `${entry.fault} ${what}${nodes}` }
    }
    case "Action": {
      const nodes = entry.nodes.length === 0 ? "" : ` ${some(entry.nodes)}`
      return { key: "", topic: "action", subject: "", gap: 0, text: () => `${entry.do}${nodes}${actionText(event)}` }
    }
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
          `${plural(nodes.length, "node")}${ofNodes(nodes)}: ${entry.condition} ${entry.from ?? "(new)"} → ${entry.to ?? "(gone)"} (${entry.reason})`
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
        key: `${entry.type} ${added ? zone : ""} ${entry.key}:${entry.effect}`,
        topic: "taints",
        subject: entry.node,
        gap: added ? RATE_LIMITED : MOMENT,
        text: (nodes, _from, _to, entries) =>
          `${plural(nodes.length, "node")}${ofNodes(nodes)} ${added ? "get" : "lose"}${nodes.length === 1 ? "s" : ""} ${entry.key}:${entry.effect}${pace(entries.map(({ at }) => at))}: ${some(nodes)}`
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
        text: () => `${entry.zone || "(no zone)"}: ${rateText(entry.nodesPerSecond, done)}`
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
    case "ShutdownStarted":
      return {
        key: `shutdown ${zone} ${entry.delaySeconds}`,
        topic: "shutdown",
        subject: entry.node,
        gap: MOMENT,
        text: (nodes) =>
          entry.delaySeconds === 0
            ? `${plural(nodes.length, "node")}${at} shut${nodes.length === 1 ? "s" : ""} down without waiting for pods: ${some(nodes)}`
            : `${plural(nodes.length, "node")}${at} prepare${nodes.length === 1 ? "s" : ""} for shutdown, with at most ${span(entry.delaySeconds)} for pods: ${some(nodes)}`
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
        gap: MOMENT,
        text: (nodes) => `${some(nodes)}: ${what}`
      }
    }
    case "PodCreated":
      if (entry.owner === null) return undefined
      return {
        key: "created",
        topic: "pods",
        minor: true,
        subject: `${entry.owner} ${entry.pod}`,
        gap: MOMENT,
        text: (pods) => {
          const owners = [...new Set(pods.map((subject) => subject.split(" ")[0] ?? ""))]
          return `${plural(pods.length, "pod")} created by ${some(owners, 2)}`
        }
      }
    case "PodRejected":
      return {
        key: `rejected ${zone} ${entry.reason}`,
        topic: "pods",
        subject: entry.pod,
        gap: MOMENT,
        text: (pods) => `${plural(pods.length, "pod")}${at} rejected by the node (${entry.reason}): ${some(pods)}`
      }
    case "PodPhaseChanged":
      if (entry.from !== "Running" || entry.to !== "Failed" || entry.reason === "") return undefined
      return {
        key: `failed ${zone} ${entry.reason}`,
        topic: "pods",
        subject: entry.pod,
        gap: MOMENT,
        text: (pods) => `${plural(pods.length, "pod")}${at} ended by the node (${entry.reason}): ${some(pods)}`
      }
    case "PodReadyChanged":
      return {
        key: `ready ${entry.ready}`,
        topic: "pods",
        minor: entry.ready,
        subject: entry.pod,
        gap: MOMENT,
        text: (pods, _from, _to, entries) =>
          `${plural(pods.length, "pod")}${ofEntries(entries)} ${entry.ready ? "ready" : "not ready: removed from their Services"}`
      }
    case "PodUnschedulable":
      return {
        key: `unschedulable ${entry.message}`,
        topic: "pods",
        subject: entry.pod,
        gap: MOMENT,
        text: (pods) =>
          `${plural(pods.length, "pod")} cannot be scheduled: ${entry.message.replace(/ (no new claims to deallocate, )?preemption: .*$/, "")}`
      }
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
          return `${plural(pods.length, "pod")}${ofEntries(entries)} to be evicted ${when}, unless the node recovers`
        }
      }
    case "PodEvictionCancelled":
      return {
        key: "cancelled",
        topic: "pods",
        subject: entry.pod,
        gap: MOMENT,
        text: (pods, _from, _to, entries) => `${plural(pods.length, "pod")}${ofEntries(entries)} eviction cancelled`
      }
    case "SplitBrain":
      return {
        key: "split brain",
        topic: "pods",
        subject: `${entry.pod} on ${some(entry.nodes)}`,
        gap: MOMENT,
        text: (pods) => `two pods of one identity run at once: ${some(pods)}`
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
            `${plural(pods.length, "pod")}${ofEntries(entries)} force-deleted (${entry.by}), whether or not they still run: ${some(pods, 2)}`
        }
      }
      return {
        key: `deletion ${entry.by}`,
        topic: "pods",
        subject: entry.pod,
        gap: RATE_LIMITED,
        text: (pods, _from, _to, entries) =>
          `${plural(pods.length, "pod")}${ofEntries(entries)} ${isEviction(entry.by) ? "evicted" : `deleted (${entry.by})`}: ${some(pods, 2)}`
      }
    default:
      return undefined
  }
}
