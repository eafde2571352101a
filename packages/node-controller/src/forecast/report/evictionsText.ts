import { formatTime, keyOf } from "@rollcall/api"
import type { NodeForecast, PodForecast, ZoneForecast } from "../EvictionForecast.ts"

/** A duration for people: `45s`, `5m50s`, `2h3m`. */
export const formatDuration = (ms: number): string => {
  const whole = Math.round(Math.abs(ms) / 1000)
  if (whole < 120) return `${whole}s`
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60), whole % 60]
  return `${hours > 0 ? `${hours}h` : ""}${minutes > 0 ? `${minutes}m` : ""}${rest > 0 ? `${rest}s` : ""}`
}

/** The time of day, in UTC; with the date if it differs from that of `nowMs`. */
export const clockAt = (ms: number, nowMs: number): string => {
  const [day = "", time = ""] = formatTime(ms).slice(0, -1).split("T")
  return formatTime(nowMs).startsWith(day) ? time : `${day} ${time}`
}

/** `1 node`, `2 nodes`. */
export const pluralize = (many: number, one: string): string => `${many} ${one}${many === 1 ? "" : "s"}`

const MAX_NAMES = 4

/** Joins names; of more than `most` only the first: `a, b, c and 7 more`. */
export const joinNames = (names: ReadonlyArray<string>, most = MAX_NAMES): string =>
  names.length <= most ? names.join(", ") : `${names.slice(0, most - 1).join(", ")} and ${names.length - most + 1} more`

export const nameOf = ({ node }: NodeForecast): string => node.metadata.name ?? ""
export const podName = ({ pod }: PodForecast): string => keyOf(pod)

/** `region/zone`, one of them, or the text for no zone. */
export const zoneName = ({ region, zone }: Pick<ZoneForecast, "region" | "zone">): string =>
  [region, zone].filter((part) => part !== "").join("/") || "(no zone)"

export const formatRate = (nodesPerSecond: number): string =>
  nodesPerSecond >= 1 ? `${nodesPerSecond} nodes a second` : `one node every ${formatDuration(1000 / nodesPerSecond)}`
