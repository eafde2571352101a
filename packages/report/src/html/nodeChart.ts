import type { ScenarioResult } from "@rollcall/simulator/result"
import { isEviction } from "@rollcall/simulator/result"
import { clock, plural } from "@rollcall/text"
import { zonesOf as zoneLookup } from "../ThemeContext.ts"
import type { Spell } from "../why/Facts.ts"
import { chart, frame, xOf } from "./axis.ts"
import { element, escaped } from "./markup.ts"
import { type NodeState, nodeStates, type Stretch } from "./nodeStates.ts"

/** From so many nodes on a zone is drawn as one band and not a lane for each node. */
const MOST_LANES = 90
const LANE = 9
const BAND = 72
const GAP = 14

/** From the bottom of a band to its top. */
const order: ReadonlyArray<NodeState> = ["tainted", "not-ready", "ready"]

export const nodeStateNames: Readonly<Record<NodeState, string>> = {
  ready: "Ready",
  "not-ready": "not Ready",
  tainted: "tainted NoExecute",
  absent: "not registered"
}

const collator = new Intl.Collator("en", { numeric: true })

/** By the numbers in names; names that only leading zeros tell apart have an order, too. */
const compare = (left: string, right: string): number => collator.compare(left, right) || (left < right ? -1 : 1)

type Zone = readonly [name: string, nodes: ReadonlyArray<readonly [string, ReadonlyArray<Stretch>]>]

const zonesOf = (
  states: ReadonlyMap<string, ReadonlyArray<Stretch>>,
  zoneOf: (node: string) => string
): ReadonlyArray<Zone> => {
  const zones = new Map<string, Array<readonly [string, ReadonlyArray<Stretch>]>>()
  for (const [node, stretches] of states) {
    const zone = zoneOf(node)
    const nodes = zones.get(zone) ?? []
    zones.set(zone, nodes)
    nodes.push([node, stretches])
  }
  return [...zones]
    .sort(([left], [right]) => compare(left, right))
    .map(([name, nodes]) => [name, nodes.sort(([left], [right]) => compare(left, right))])
}

/** A lane for each node; a dot where a pod was made to leave. */
const lanes = ([, nodes]: Zone, top: number, end: number, evictions: ReadonlyMap<string, ReadonlySet<number>>) => {
  const x = xOf(end)
  return nodes
    .map(([node, stretches], index) => {
      const y = top + index * LANE
      const bars = stretches.map(({ from, state, to }) => {
        const title = `${node}: ${nodeStateNames[state]} ${clock(from)} to ${clock(to)}`
        return element(
          "rect",
          { class: state, x: x(from), y, width: Math.max(x(to) - x(from), 0.5), height: LANE - 1.5 },
          element("title", {}, escaped(title))
        )
      })
      return bars.join("") + [...(evictions.get(node) ?? [])].map((at) => dot(x(at), y, node, at)).join("")
    })
    .join("")
}

const dot = (cx: number, y: number, node: string, at: number): string =>
  element(
    "circle",
    { class: "eviction", cx, cy: y + (LANE - 1.5) / 2, r: 2.6 },
    element("title", {}, escaped(`a pod of ${node} is evicted at ${clock(at)}`))
  )

/** How many nodes of a zone are in each state, as layers above each other. */
const band = ([, nodes]: Zone, top: number, end: number): string => {
  const x = xOf(end)
  const changes = nodes
    .flatMap(([, stretches]) =>
      stretches.flatMap(({ from, state, to }) => [
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
  const y = (count: number) => top + BAND - (count / nodes.length) * BAND
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

/** When pods of each node were made to leave because it was lost. */
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

/** What the control plane thought of the nodes, zone by zone. */
export const nodeChart = (result: ScenarioResult, spells: ReadonlyArray<Spell>): string => {
  const end = result.spec.durationSeconds
  const states = nodeStates(result.trace, Object.values(result.context.zones).flat(), end)
  if (states.size === 0) return ""
  const zones = zonesOf(states, zoneLookup(result))
  const inLanes = states.size <= MOST_LANES
  const evictions = evictionsOf(result)
  let top: number = frame.top + 6
  const drawn = zones.map((zone) => {
    const [name, nodes] = zone
    const height = inLanes ? nodes.length * LANE : BAND
    const middle = top + height / 2
    const words =
      element("text", { class: "zone", x: frame.left - 10, y: middle }, escaped(name || "no zone")) +
      element("text", { class: "size", x: frame.left - 10, y: middle + 14 }, plural(nodes.length, "node"))
    const content = words + (inLanes ? lanes(zone, top, end, evictions) : band(zone, top, end))
    top += height + GAP
    return content
  })
  return chart("the state of the nodes over time, by zone", top + frame.bottom, end, spells, drawn.join(""))
}
