import { grouped } from "@rollcall/text"
import { zoneNames } from "../../lifecycle/ZoneKey.ts"
import type { NodeForecast, PodForecast } from "../EvictionForecast.ts"
import type { EvictionReport } from "./EvictionReport.ts"
import { stopTexts } from "./evictionsNodes.ts"
import { clockAt, count, nameOf, pace, podName, some, span, zoneName } from "./evictionsText.ts"

/** More things of one sort than this share a line. */
const MOST_LINES = 4

interface Coming {
  readonly atMs: number
  /** Things of one sort can be told together. */
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

const podsComing = (one: NodeForecast): ReadonlyArray<Coming> => {
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

const nodeComing = (one: NodeForecast, deletes: boolean): ReadonlyArray<Coming> => {
  const name = nameOf(one)
  const zone = zoneName(zoneNames(one.zoneKey))
  const coming = (atMs: number | undefined, sort: string, text: string, many: string): ReadonlyArray<Coming> =>
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
    ...coming(one.unknownAtMs, "unknown", "becomes Unknown", "become Unknown"),
    ...(deletes ? [] : coming(one.turnAtMs, "turn", "is tainted", "are tainted, one after another")),
    ...coming(one.swappedAtMs, "swap", "exchanges its taint, which moves no pod's time", "exchange their taints"),
    ...coming(one.forgivenAtMs, "forgiven", "loses its taint: what was planned is called off", "lose their taints")
  ]
}

const zonesComing = ({ forecast }: EvictionReport): ReadonlyArray<Coming> =>
  forecast.zones.flatMap((zone) =>
    zone.changes.map(({ atMs, nodesPerSecond, state, stoppedBy }) => {
      const text =
        stoppedBy === "all-zones-down"
          ? `evictions stop in ${zoneName(zone)}: ${stopTexts[stoppedBy]}`
          : `${zoneName(zone)} is in ${state}: ${stoppedBy === undefined ? pace(nodesPerSecond) : "evictions stop"}`
      return { atMs, sort: `zone ${zone.zoneKey} ${atMs}`, node: "", pods: [], text, together: () => text }
    })
  )

/** Both are cut to whole seconds, the times that are said and how far off they are. */
const whole = (ms: number): number => Math.floor(ms / 1000) * 1000

const range = (first: string, last: string): string => (first === last ? first : `${first} to ${last}`)

/** What happens, in order of time: after how long, when, what. */
export const nextRows = (report: EvictionReport): ReadonlyArray<ReadonlyArray<string>> => {
  const { nodes, nowMs } = report.forecast
  const deletes = report.settings.podEviction === "deletion"
  const all = [...zonesComing(report), ...nodes.flatMap((one) => [...nodeComing(one, deletes), ...podsComing(one)])]
  const inMs = (atMs: number) =>
    atMs <= nowMs ? (nowMs - atMs < 1000 ? "now" : `${span(atMs - nowMs)} ago`) : span(whole(atMs - nowMs))
  const rowOf = (first: Coming, last: Coming, text: string) => ({
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
