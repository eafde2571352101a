import { formatTaint, parseTime } from "@rollcall/api"
import { grouped } from "@rollcall/text"
import { zoneNames } from "../../lifecycle/ZoneKey.ts"
import type { NodeForecast, StopReason } from "../EvictionForecast.ts"
import { clockAt, nameOf, some, span, zoneName } from "./evictionsText.ts"

/** More nodes with the same state than this share a line. */
const MOST_LINES = 4

export const stopTexts: Readonly<Record<StopReason, string>> = {
  "all-zones-down": "no node of any zone is ready",
  "partial-disruption": "too much of the zone is down",
  rate: "the rate is 0"
}

const ordinal = (place: number): string => {
  const suffix = ["th", "st", "nd", "rd"][place % 100 > 10 && place % 100 < 14 ? 0 : place % 10] ?? "th"
  return `${place}${suffix}`
}

interface State {
  /** The text shared with other nodes of its zone. */
  readonly common: string
  /** The text for it alone. */
  readonly own: string
}

const since = (ms: number | undefined, nowMs: number): string =>
  ms === undefined ? "" : ` since ${clockAt(ms, nowMs)}`

const readiness = ({ ready, readySinceMs }: NodeForecast, nowMs: number): State => {
  if (ready === undefined) return { common: "never posted a status", own: "never posted a status" }
  const common = ready === "Unknown" ? "Unknown" : ready === "False" ? "not ready" : "ready"
  return { common, own: `${common}${ready === "True" ? "" : since(readySinceMs, nowMs)}` }
}

/** Why it is not tainted, or what follows from its taint. */
const outlook = (one: NodeForecast, nowMs: number, deletes: boolean): State => {
  const text = (common: string, own = common): State => ({ common, own })
  const at = (ms: number) => clockAt(ms, nowMs)
  if (one.taint !== undefined) {
    const key = one.taint.key.slice(one.taint.key.indexOf("/") + 1)
    const off = one.forgivenAtMs === undefined ? "" : ", to be removed"
    const added = one.taint.timeAdded === undefined ? "" : ` since ${at(parseTime(one.taint.timeAdded))}`
    return text(`tainted ${key}${off}`, `tainted ${key}${added}${off}`)
  }
  const act = deletes ? "its pods' deletion" : "its taint"
  if (one.stoppedBy !== undefined) return text(`evictions stopped: ${stopTexts[one.stoppedBy]}`)
  if (one.turnAtMs !== undefined && one.place !== undefined) {
    return text(
      `waits for ${act}`,
      `waits for ${act}: ${ordinal(one.place)} in its zone, ${at(one.turnAtMs)} at the earliest`
    )
  }
  if (one.turnAtMs !== undefined) return text(`${act} follows`, `${act} follows at ${at(one.turnAtMs)} at the earliest`)
  return text("")
}

const stateOf = (one: NodeForecast, nowMs: number, deletes: boolean): State => {
  const parts = [readiness(one, nowMs)]
  if (one.silent && one.unknownAtMs !== undefined) {
    const silence = one.lastSignMs === undefined ? "" : ` for ${span(nowMs - one.lastSignMs)}`
    const due =
      one.unknownAtMs <= nowMs ? "any moment" : `in ${span(Math.floor((one.unknownAtMs - nowMs) / 1000) * 1000)}`
    parts.push({ common: "silent, not Unknown yet", own: `silent${silence}, Unknown ${due}` })
  }
  parts.push(outlook(one, nowMs, deletes))
  if (one.otherTaints.length > 0) {
    const text = `tainted by others: ${one.otherTaints.map(formatTaint).join(", ")}`
    parts.push({ common: text, own: text })
  }
  const joined = (which: keyof State) =>
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
    same.length > MOST_LINES
      ? [[some(same.map(({ node }) => nameOf(node))), same[0]?.zone ?? "", same[0]?.state.common ?? ""]]
      : same.map(({ node, state, zone }) => [nameOf(node), zone, state.own])
  )
}
