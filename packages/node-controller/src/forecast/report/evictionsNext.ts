import { grouped } from "@rollcall/text"
import { zoneNames } from "../../lifecycle/ZoneKey.ts"
import type { NodeForecast, PodForecast } from "../EvictionForecast.ts"
import type { EvictionReport } from "./EvictionReport.ts"
import { stopTexts } from "./evictionsNodes.ts"
import {
  clockAt,
  formatDuration,
  formatRate,
  joinNames,
  nameOf,
  pluralize,
  podName,
  zoneName
} from "./evictionsText.ts"

/** If a group has more events than this, they share one line. */
const MAX_GROUP_LINES = 4

interface UpcomingEvent {
  readonly atMs: number
  /** The key of its group: events of one group may share a line, with the text of `groupText`. */
  readonly group: string
  readonly node: string
  readonly pods: ReadonlyArray<PodForecast>
  readonly text: string
  readonly groupText: (nodes: ReadonlyArray<string>, pods: ReadonlyArray<PodForecast>) => string
}

const toleration = (seconds: number | undefined, whose: string): string => {
  if (seconds === undefined) return "with their node"
  return seconds === 0 ? "which do not tolerate the taint" : `${formatDuration(seconds * 1000)} after ${whose} taint`
}

const podEvents = (one: NodeForecast): ReadonlyArray<UpcomingEvent> => {
  const name = nameOf(one)
  const zone = zoneName(zoneNames(one.zoneKey))
  const deletedPods = one.pods.filter(({ deletedAtMs }) => deletedAtMs !== undefined)
  return grouped(
    deletedPods,
    ({ atTheLatest, deletedAtMs, toleratedSeconds }) => `${deletedAtMs} ${toleratedSeconds} ${atTheLatest}`
  ).map(([, pods]) => {
    const { atTheLatest, deletedAtMs = 0, toleratedSeconds } = pods[0] ?? {}
    const late = atTheLatest === true ? " at the latest" : ""
    return {
      atMs: deletedAtMs,
      group: `pods ${zone} ${toleratedSeconds}`,
      node: name,
      pods,
      text: `${pluralize(pods.length, "pod")} of ${name} deleted${late}, ${toleration(toleratedSeconds, "its")}: ${joinNames(pods.map(podName))}`,
      groupText: (nodes, all) =>
        `${pluralize(all.length, "pod")} of ${pluralize(nodes.length, "node")} in ${zone} deleted, ${toleration(toleratedSeconds, "its node's")}`
    }
  })
}

const nodeEvents = (one: NodeForecast, deletes: boolean): ReadonlyArray<UpcomingEvent> => {
  const name = nameOf(one)
  const zone = zoneName(zoneNames(one.zoneKey))
  const upcoming = (
    atMs: number | undefined,
    group: string,
    text: string,
    many: string
  ): ReadonlyArray<UpcomingEvent> =>
    atMs === undefined
      ? []
      : [
          {
            atMs,
            group: `${group} ${zone}`,
            node: name,
            pods: [],
            text: `${name} ${text}`,
            groupText: (nodes) => `${pluralize(nodes.length, "node")} of ${zone} ${many}: ${joinNames(nodes)}`
          }
        ]
  return [
    ...upcoming(one.unknownAtMs, "unknown", "becomes Unknown", "become Unknown"),
    ...(deletes ? [] : upcoming(one.queueReachedAtMs, "turn", "is tainted", "are tainted, one after another")),
    ...upcoming(
      one.swappedAtMs,
      "swap",
      "exchanges its taint, which changes no pod's deletion time",
      "exchange their taints"
    ),
    ...upcoming(
      one.taintRemovedAtMs,
      "forgiven",
      "loses its taint: scheduled evictions are cancelled",
      "lose their taints"
    )
  ]
}

const zoneEvents = ({ forecast }: EvictionReport): ReadonlyArray<UpcomingEvent> =>
  forecast.zones.flatMap((zone) =>
    zone.changes.map(({ atMs, nodesPerSecond, state, stoppedBy }) => {
      const text =
        stoppedBy === "all-zones-down"
          ? `evictions stop in ${zoneName(zone)}: ${stopTexts[stoppedBy]}`
          : `${zoneName(zone)} is in ${state}: ${stoppedBy === undefined ? formatRate(nodesPerSecond) : "evictions stop"}`
      return { atMs, group: `zone ${zone.zoneKey} ${atMs}`, node: "", pods: [], text, groupText: () => text }
    })
  )

/** Cuts a duration to whole seconds, as the shown times are. */
const floorToSecond = (ms: number): number => Math.floor(ms / 1000) * 1000

const range = (first: string, last: string): string => (first === last ? first : `${first} to ${last}`)

/** The rows of the table of events, in order of time; the columns are: in how long, when, what. */
export const nextRows = (report: EvictionReport): ReadonlyArray<ReadonlyArray<string>> => {
  const { nodes, nowMs } = report.forecast
  const deletes = report.settings.podEviction === "deletion"
  const all = [...zoneEvents(report), ...nodes.flatMap((one) => [...nodeEvents(one, deletes), ...podEvents(one)])]
  const inMs = (atMs: number) =>
    atMs <= nowMs
      ? nowMs - atMs < 1000
        ? "now"
        : `${formatDuration(atMs - nowMs)} ago`
      : formatDuration(floorToSecond(atMs - nowMs))
  const rowOf = (first: UpcomingEvent, last: UpcomingEvent, text: string) => ({
    atMs: first.atMs,
    row: [
      range(inMs(first.atMs), inMs(last.atMs)),
      range(clockAt(first.atMs, nowMs), clockAt(last.atMs, nowMs)),
      text
    ] as const
  })
  return grouped(
    all.toSorted((left, right) => left.atMs - right.atMs),
    ({ group }) => group
  )
    .flatMap(([, same]) => {
      const first = same[0]
      const last = same.at(-1)
      if (first === undefined || last === undefined) return []
      if (same.length <= MAX_GROUP_LINES) return same.map((one) => rowOf(one, one, one.text))
      const pods = same.flatMap((one) => one.pods)
      return [rowOf(first, last, first.groupText([...new Set(same.map(({ node }) => node))], pods))]
    })
    .toSorted((left, right) => left.atMs - right.atMs)
    .map(({ row }) => row)
}
