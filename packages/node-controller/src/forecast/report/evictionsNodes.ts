import { formatTaint, parseTime } from "@rollcall/api"
import { grouped } from "@rollcall/text"
import { zoneNames } from "../../lifecycle/ZoneKey.ts"
import type { NodeForecast, StopReason } from "../EvictionForecast.ts"
import { clockAt, formatDuration, joinNames, nameOf, zoneName } from "./evictionsText.ts"

/** If more nodes than this have the same state, they share a line. */
const MAX_NODE_LINES = 4

export const stopTexts: Readonly<Record<StopReason, string>> = {
  "all-zones-down": "no node of any zone is ready",
  "partial-disruption": "too much of the zone is down",
  rate: "the rate is 0"
}

const ordinal = (place: number): string => {
  const suffix = ["th", "st", "nd", "rd"][place % 100 > 10 && place % 100 < 14 ? 0 : place % 10] ?? "th"
  return `${place}${suffix}`
}

interface StateText {
  /** The text that nodes of a zone share on one line. */
  readonly common: string
  /** The text of a node with a line of its own, with times. */
  readonly own: string
}

const since = (ms: number | undefined, nowMs: number): string =>
  ms === undefined ? "" : ` since ${clockAt(ms, nowMs)}`

const readiness = ({ ready, readySinceMs }: NodeForecast, nowMs: number): StateText => {
  if (ready === undefined) return { common: "never posted a status", own: "never posted a status" }
  const common = ready === "Unknown" ? "Unknown" : ready === "False" ? "not ready" : "ready"
  return { common, own: `${common}${ready === "True" ? "" : since(readySinceMs, nowMs)}` }
}

/** Describes the node's taint, or when it gets one, or why it does not; empty if nothing is to say. */
const outlook = (one: NodeForecast, nowMs: number, deletes: boolean): StateText => {
  const text = (common: string, own = common): StateText => ({ common, own })
  const at = (ms: number) => clockAt(ms, nowMs)
  if (one.taint !== undefined) {
    const key = one.taint.key.slice(one.taint.key.indexOf("/") + 1)
    const off = one.taintRemovedAtMs === undefined ? "" : ", to be removed"
    const added = one.taint.timeAdded === undefined ? "" : ` since ${at(parseTime(one.taint.timeAdded))}`
    return text(`tainted ${key}${off}`, `tainted ${key}${added}${off}`)
  }
  const action = deletes ? "its pods' deletion" : "its taint"
  if (one.stoppedBy !== undefined) return text(`evictions stopped: ${stopTexts[one.stoppedBy]}`)
  if (one.queueReachedAtMs !== undefined && one.place !== undefined) {
    return text(
      `waits for ${action}`,
      `waits for ${action}: ${ordinal(one.place)} in its zone, ${at(one.queueReachedAtMs)} at the earliest`
    )
  }
  if (one.queueReachedAtMs !== undefined)
    return text(`${action} follows`, `${action} follows at ${at(one.queueReachedAtMs)} at the earliest`)
  return text("")
}

const stateOf = (one: NodeForecast, nowMs: number, deletes: boolean): StateText => {
  const parts = [readiness(one, nowMs)]
  if (one.silent && one.unknownAtMs !== undefined) {
    const silence = one.lastSignMs === undefined ? "" : ` for ${formatDuration(nowMs - one.lastSignMs)}`
    const due =
      one.unknownAtMs <= nowMs
        ? "any moment"
        : `in ${formatDuration(Math.floor((one.unknownAtMs - nowMs) / 1000) * 1000)}`
    parts.push({ common: "silent, not Unknown yet", own: `silent${silence}, Unknown ${due}` })
  }
  parts.push(outlook(one, nowMs, deletes))
  if (one.otherTaints.length > 0) {
    const text = `tainted by others: ${one.otherTaints.map(formatTaint).join(", ")}`
    parts.push({ common: text, own: text })
  }
  const joined = (which: keyof StateText) =>
    parts
      .map((part) => part[which])
      .filter((text) => text !== "")
      .join("; ")
  return { common: joined("common"), own: joined("own") }
}

/** The unhealthy nodes with their zones and states; nodes with the same state are grouped. */
export const nodeRows = (
  nodes: ReadonlyArray<NodeForecast>,
  nowMs: number,
  deletes: boolean
): ReadonlyArray<ReadonlyArray<string>> => {
  const states = nodes.map((node) => ({
    node,
    zone: zoneName(zoneNames(node.zoneKey)),
    state: stateOf(node, nowMs, deletes)
  }))
  return grouped(states, ({ state, zone }) => `${zone}\n${state.common}`).flatMap(([, same]) =>
    same.length > MAX_NODE_LINES
      ? [[joinNames(same.map(({ node }) => nameOf(node))), same[0]?.zone ?? "", same[0]?.state.common ?? ""]]
      : same.map(({ node, state, zone }) => [nameOf(node), zone, state.own])
  )
}
