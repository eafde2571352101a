import type { ScenarioResult } from "@rollcall/simulator/result"
import { isEviction } from "@rollcall/simulator/result"
import { clock, plural } from "@rollcall/text"
import { makeZoneOf } from "../ReportContext.ts"
import type { FaultSpan } from "../why/Facts.ts"
import { chart, frame, makeXOf } from "./axis.ts"
import { element, escapeHtml } from "./markup.ts"
import { type NodeState, nodeStates, type StateSpan } from "./nodeStates.ts"

/** With more nodes than this, each zone is drawn as one band instead of one lane for each node. */
const MAX_LANES = 90
const LANE_HEIGHT = 9
const BAND_HEIGHT = 72
/** The space between two zones. */
const ZONE_GAP = 14

/** The layers of a band from bottom to top. */
const order: ReadonlyArray<NodeState> = ["tainted", "not-ready", "ready"]

/** The names of the states in the legend and the tooltips. */
export const nodeStateNames: Readonly<Record<NodeState, string>> = {
  ready: "Ready",
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

/** Renders one lane for each node, with a dot for each eviction. */
const renderLanes = (
  [, nodes]: Zone,
  top: number,
  end: number,
  evictions: ReadonlyMap<string, ReadonlySet<number>>
) => {
  const x = makeXOf(end)
  return nodes
    .map(([node, stateSpans], index) => {
      const y = top + index * LANE_HEIGHT
      const bars = stateSpans.map(({ from, state, to }) => {
        const title = `${node}: ${nodeStateNames[state]} ${clock(from)} to ${clock(to)}`
        return element(
          "rect",
          { class: state, x: x(from), y, width: Math.max(x(to) - x(from), 0.5), height: LANE_HEIGHT - 1.5 },
          element("title", {}, escapeHtml(title))
        )
      })
      return bars.join("") + [...(evictions.get(node) ?? [])].map((at) => evictionDot(x(at), y, node, at)).join("")
    })
    .join("")
}

const evictionDot = (cx: number, y: number, node: string, at: number): string =>
  element(
    "circle",
    { class: "eviction", cx, cy: y + (LANE_HEIGHT - 1.5) / 2, r: 2.6 },
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
  const counts: Record<NodeState, number> = { ready: 0, "not-ready": 0, tainted: 0, absent: 0 }
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

/** Returns the times of the evictions from each node. */
const evictionsOf = ({ trace }: ScenarioResult): ReadonlyMap<string, ReadonlySet<number>> => {
  const found = new Map<string, Set<number>>()
  for (const entry of trace) {
    if (entry.type !== "PodDeletionRequested" || !isEviction(entry.by)) continue
    const times = found.get(entry.node) ?? new Set<number>()
    found.set(entry.node, times)
    times.add(entry.at)
  }
  return found
}

/** Renders the chart of the node states in the control plane, by zone. */
export const nodeChart = (result: ScenarioResult, faultSpans: ReadonlyArray<FaultSpan>): string => {
  const end = result.spec.durationSeconds
  const states = nodeStates(result.trace, Object.values(result.context.zones).flat(), end)
  if (states.size === 0) return ""
  const zones = groupByZone(states, makeZoneOf(result))
  const inLanes = states.size <= MAX_LANES
  const evictions = evictionsOf(result)
  let top: number = frame.top + 6
  const rendered = zones.map((zone) => {
    const [name, nodes] = zone
    const height = inLanes ? nodes.length * LANE_HEIGHT : BAND_HEIGHT
    const middle = top + height / 2
    const labels =
      element("text", { class: "zone", x: frame.left - 10, y: middle }, escapeHtml(name || "no zone")) +
      element("text", { class: "size", x: frame.left - 10, y: middle + 14 }, plural(nodes.length, "node"))
    const content = labels + (inLanes ? renderLanes(zone, top, end, evictions) : renderBand(zone, top, end))
    top += height + ZONE_GAP
    return content
  })
  return chart("the state of the nodes over time, by zone", top + frame.bottom, end, faultSpans, rendered.join(""))
}
