import type { ScenarioResult } from "@rollcall/simulator/result"
import { isEviction } from "@rollcall/simulator/result"
import { clock, plural } from "@rollcall/text"
import { makeZoneOf } from "../ReportContext.ts"
import type { FaultSpan } from "../why/Facts.ts"
import { type Chart, frame, makeChart, makeXOf } from "./axis.ts"
import { element, escapeHtml } from "./markup.ts"
import { type NodeState, nodeStates, type StateSpan } from "./nodeStates.ts"

/** With more nodes than this, each zone is drawn as one band instead of one lane for each node. */
const MAX_LANES = 90
/** The height of a lane; where there are few nodes, each has a taller lane with its name. */
const LANE_HEIGHT = 9
const NAMED_LANE_HEIGHT = 16
const MAX_NAMED_LANES = 12
const BAND_HEIGHT = 72
/** The space between two zones. */
const ZONE_GAP = 14

/** The layers of a band from bottom to top. */
const order: ReadonlyArray<NodeState> = ["tainted", "not-ready", "no-schedule", "ready"]

/** The names of the states in the legend and the tooltips. */
export const nodeStateNames: Readonly<Record<NodeState, string>> = {
  ready: "Ready",
  "no-schedule": "Ready, tainted NoSchedule",
  "not-ready": "not Ready",
  tainted: "tainted NoExecute",
  absent: "not registered"
}

const collator = new Intl.Collator("en", { numeric: true })

/** Compares names by the numbers in them; names that differ only in leading zeros are ordered as text. */
const compare = (left: string, right: string): number => collator.compare(left, right) || (left < right ? -1 : 1)

/** A zone, with the states of each of its nodes. */
type Zone = readonly [name: string, nodes: ReadonlyArray<readonly [string, ReadonlyArray<StateSpan>]>]

/** Groups the nodes by zone; zones and nodes are in the order of their names. */
const groupByZone = (
  states: ReadonlyMap<string, ReadonlyArray<StateSpan>>,
  zoneOf: (node: string) => string
): ReadonlyArray<Zone> => {
  const zones = new Map<string, Array<readonly [string, ReadonlyArray<StateSpan>]>>()
  for (const [node, stateSpans] of states) {
    const zone = zoneOf(node)
    const nodes = zones.get(zone) ?? []
    zones.set(zone, nodes)
    nodes.push([node, stateSpans])
  }
  return [...zones]
    .sort(([left], [right]) => compare(left, right))
    .map(([name, nodes]) => [name, nodes.sort(([left], [right]) => compare(left, right))])
}

/** The times at which something happened on each node. */
type TimesByNode = ReadonlyMap<string, ReadonlySet<number>>

/** Renders one lane for each node, with a dot for each eviction and a line for each renewal of its Lease. */
const renderLanes = (
  [, nodes]: Zone,
  top: number,
  end: number,
  laneHeight: number,
  evictions: TimesByNode,
  renewals: TimesByNode
) => {
  const x = makeXOf(end)
  return nodes
    .map(([node, stateSpans], index) => {
      const y = top + index * laneHeight
      const middle = y + (laneHeight - 1.5) / 2
      const bars = stateSpans.map(({ from, state, to }) => {
        const title = `${node}: ${nodeStateNames[state]} ${clock(from)} to ${clock(to)}`
        return element(
          "rect",
          { class: state, x: x(from), y, width: Math.max(x(to) - x(from), 0.5), height: laneHeight - 1.5 },
          element("title", {}, escapeHtml(title))
        )
      })
      const name =
        laneHeight === LANE_HEIGHT
          ? ""
          : element("text", { class: "lane", x: frame.left - 10, y: middle + 4 }, escapeHtml(node))
      const lines = [...(renewals.get(node) ?? [])].map((at) =>
        element("line", { class: "renewal", x1: x(at), x2: x(at), y1: y + 2, y2: y + laneHeight - 3.5 })
      )
      const dots = [...(evictions.get(node) ?? [])].map((at) => evictionDot(x(at), middle, node, at))
      return [name, ...bars, ...lines, ...dots].join("")
    })
    .join("")
}

const evictionDot = (cx: number, cy: number, node: string, at: number): string =>
  element(
    "circle",
    { class: "eviction", cx, cy, r: 2.6 },
    element("title", {}, escapeHtml(`a pod on ${node} is evicted at ${clock(at)}`))
  )

/** Renders the number of nodes of a zone in each state as stacked areas. */
const renderBand = ([, nodes]: Zone, top: number, end: number): string => {
  const x = makeXOf(end)
  const changes = nodes
    .flatMap(([, stateSpans]) =>
      stateSpans.flatMap(({ from, state, to }) => [
        { at: from, state, by: 1 },
        { at: to, state, by: -1 }
      ])
    )
    .sort((left, right) => left.at - right.at)
  const counts: Record<NodeState, number> = { ready: 0, "no-schedule": 0, "not-ready": 0, tainted: 0, absent: 0 }
  const points: Array<{ readonly at: number; readonly counts: Record<NodeState, number> }> = []
  for (const { at, by, state } of changes) {
    if (at >= end) break
    counts[state] += by
    if (points.at(-1)?.at === at) points.pop()
    points.push({ at, counts: { ...counts } })
  }
  const y = (count: number) => top + BAND_HEIGHT - (count / nodes.length) * BAND_HEIGHT
  let below: ReadonlyArray<number> = points.map(() => 0)
  return order
    .map((state) => {
      const above = points.map((point, index) => (below[index] ?? 0) + point.counts[state])
      const edge = (sums: ReadonlyArray<number>) =>
        points.flatMap(({ at }, index) => {
          const height = y(sums[index] ?? 0)
          return [
            [x(at), height],
            [x(points[index + 1]?.at ?? end), height]
          ] as const
        })
      const outline = [...edge(above), ...[...edge(below)].reverse()]
      below = above
      const d = outline.map(([px, py], index) => `${index === 0 ? "M" : "L"}${px.toFixed(1)} ${py.toFixed(1)}`).join("")
      return element("path", { class: state, d: `${d}Z` }, element("title", {}, nodeStateNames[state]))
    })
    .join("")
}

const addTime = (found: Map<string, Set<number>>, node: string, at: number): void => {
  const times = found.get(node) ?? new Set<number>()
  found.set(node, times)
  times.add(at)
}

/** Returns the times of the evictions from each node, and of the renewals of its Lease if the trace has them. */
const timesOf = ({ trace }: ScenarioResult): { readonly evictions: TimesByNode; readonly renewals: TimesByNode } => {
  const evictions = new Map<string, Set<number>>()
  const renewals = new Map<string, Set<number>>()
  for (const entry of trace) {
    if (entry.type === "PodDeletionRequested" && isEviction(entry.by)) addTime(evictions, entry.node, entry.at)
    if (entry.type === "LeaseRenewed") addTime(renewals, entry.node, entry.at)
  }
  return { evictions, renewals }
}

/** Returns the chart of the node states in the control plane, by zone; undefined if there are no nodes. */
export const nodeChart = (result: ScenarioResult, faultSpans: ReadonlyArray<FaultSpan>): Chart | undefined => {
  const end = result.spec.durationSeconds
  const states = nodeStates(result.trace, Object.values(result.context.zones).flat(), end)
  if (states.size === 0) return undefined
  const zones = groupByZone(states, makeZoneOf(result))
  const inLanes = states.size <= MAX_LANES
  const { evictions, renewals } = timesOf(result)
  const laneHeight = states.size <= MAX_NAMED_LANES ? NAMED_LANE_HEIGHT : LANE_HEIGHT
  let top: number = frame.top + 6
  const rendered = zones.map((zone) => {
    const [name, nodes] = zone
    const height = inLanes ? nodes.length * laneHeight : BAND_HEIGHT
    const middle = top + height / 2
    const labels =
      laneHeight === LANE_HEIGHT
        ? element("text", { class: "zone", x: frame.left - 10, y: middle }, escapeHtml(name || "no zone")) +
          element("text", { class: "size", x: frame.left - 10, y: middle + 14 }, plural(nodes.length, "node"))
        : element("text", { class: "named-zone", x: 10, y: top + 11 }, escapeHtml(name))
    const content =
      labels + (inLanes ? renderLanes(zone, top, end, laneHeight, evictions, renewals) : renderBand(zone, top, end))
    top += height + ZONE_GAP
    return content
  })
  return makeChart("the state of the nodes over time, by zone", top + frame.bottom, end, faultSpans, rendered.join(""))
}
