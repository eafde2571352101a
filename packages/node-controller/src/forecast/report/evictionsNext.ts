import { grouped } from "@rollcall/text"
import { zoneNames } from "../../lifecycle/ZoneKey.ts"
import type { NodeForecast, PodForecast } from "../EvictionForecast.ts"
import type { EvictionReport } from "./EvictionReport.ts"
import { stopTexts } from "./evictionsNodes.ts"
import { clockAt, count, nameOf, pace, podName, some, span, zoneName } from "./evictionsText.ts"

/** More events of one sort than this share a line. */
const MOST_LINES = 4

interface Upcoming {
  readonly atMs: number
  /** Events of one sort can share a line. */
  readonly sort: string
  readonly node: string
  readonly pods: ReadonlyArray<PodForecast>
  readonly text: string
  readonly together: (nodes: ReadonlyArray<string>, pods: ReadonlyArray<PodForecast>) => string
}

const toleration = (seconds: number | undefined, whose: string): string => {
  if (seconds === undefined) return "with their node"
  return seconds === 0 ? "which do not tolerate the taint" : `${span(seconds * 1000)} after ${whose} taint`
}

const upcomingPods = (one: NodeForecast): ReadonlyArray<Upcoming> => {
  const name = nameOf(one)
  const zone = zoneName(zoneNames(one.zoneKey))
  const going = one.pods.filter(({ deletedAtMs }) => deletedAtMs !== undefined)
  return grouped(
    going,
    ({ atTheLatest, deletedAtMs, toleratedSeconds }) => `${deletedAtMs} ${toleratedSeconds} ${atTheLatest}`
  ).map(([, pods]) => {
    const { atTheLatest, deletedAtMs = 0, toleratedSeconds } = pods[0] ?? {}
    const late = atTheLatest === true ? " at the latest" : ""
    return {
      atMs: deletedAtMs,
      sort: `pods ${zone} ${toleratedSeconds}`,
      node: name,
      pods,
      text: `${count(pods.length, "pod")} of ${name} deleted${late}, ${toleration(toleratedSeconds, "its")}: ${some(pods.map(podName))}`,
      together: (nodes, all) =>
        `${count(all.length, "pod")} of ${count(nodes.length, "node")} in ${zone} deleted, ${toleration(toleratedSeconds, "its node's")}`
    }
  })
}

const upcomingNode = (one: NodeForecast, deletes: boolean): ReadonlyArray<Upcoming> => {
  const name = nameOf(one)
  const zone = zoneName(zoneNames(one.zoneKey))
  const upcoming = (atMs: number | undefined, sort: string, text: string, many: string): ReadonlyArray<Upcoming> =>
    atMs === undefined
      ? []
      : [
          {
            atMs,
            sort: `${sort} ${zone}`,
            node: name,
            pods: [],
            text: `${name} ${text}`,
            together: (nodes) => `${count(nodes.length, "node")} of ${zone} ${many}: ${some(nodes)}`
          }
        ]
  return [
    ...upcoming(one.unknownAtMs, "unknown", "becomes Unknown", "become Unknown"),
    ...(deletes ? [] : upcoming(one.turnAtMs, "turn", "is tainted", "are tainted, one after another")),
    ...upcoming(
      one.swappedAtMs,
      "swap",
      "exchanges its taint, which changes no pod's deletion time",
      "exchange their taints"
    ),
    ...upcoming(one.forgivenAtMs, "forgiven", "loses its taint: scheduled evictions are cancelled", "lose their taints")
  ]
}

const upcomingZones = ({ forecast }: EvictionReport): ReadonlyArray<Upcoming> =>
  forecast.zones.flatMap((zone) =>
    zone.changes.map(({ atMs, nodesPerSecond, state, stoppedBy }) => {
      const text =
        stoppedBy === "all-zones-down"
          ? `evictions stop in ${zoneName(zone)}: ${stopTexts[stoppedBy]}`
          : `${zoneName(zone)} is in ${state}: ${stoppedBy === undefined ? pace(nodesPerSecond) : "evictions stop"}`
      return { atMs, sort: `zone ${zone.zoneKey} ${atMs}`, node: "", pods: [], text, together: () => text }
    })
  )

/** Both are cut to whole seconds: the shown times and the durations until then. */
const whole = (ms: number): number => Math.floor(ms / 1000) * 1000

const range = (first: string, last: string): string => (first === last ? first : `${first} to ${last}`)

/** The events in order of time: in how long, when, what. */
export const nextRows = (report: EvictionReport): ReadonlyArray<ReadonlyArray<string>> => {
  const { nodes, nowMs } = report.forecast
  const deletes = report.settings.podEviction === "deletion"
  const all = [
    ...upcomingZones(report),
    ...nodes.flatMap((one) => [...upcomingNode(one, deletes), ...upcomingPods(one)])
  ]
  const inMs = (atMs: number) =>
    atMs <= nowMs ? (nowMs - atMs < 1000 ? "now" : `${span(atMs - nowMs)} ago`) : span(whole(atMs - nowMs))
  const rowOf = (first: Upcoming, last: Upcoming, text: string) => ({
    atMs: first.atMs,
    row: [
      range(inMs(first.atMs), inMs(last.atMs)),
      range(clockAt(first.atMs, nowMs), clockAt(last.atMs, nowMs)),
      text
    ] as const
  })
  return grouped(
    all.toSorted((left, right) => left.atMs - right.atMs),
    ({ sort }) => sort
  )
    .flatMap(([, same]) => {
      const first = same[0]
      const last = same.at(-1)
      if (first === undefined || last === undefined) return []
      if (same.length <= MOST_LINES) return same.map((one) => rowOf(one, one, one.text))
      const pods = same.flatMap((one) => one.pods)
      return [rowOf(first, last, first.together([...new Set(same.map(({ node }) => node))], pods))]
    })
    .toSorted((left, right) => left.atMs - right.atMs)
    .map(({ row }) => row)
}
