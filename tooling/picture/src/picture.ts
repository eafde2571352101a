import type { ScenarioResult, TraceEntry } from "@rollcall/simulator"

/** The parts of a result that are drawn. */
export interface Drawn {
  readonly metadata: ScenarioResult["metadata"]
  readonly spec: Pick<ScenarioResult["spec"], "release" | "durationSeconds">
  readonly summary: { readonly workloads: ReadonlyArray<{ readonly name: string }> }
  readonly trace: ReadonlyArray<TraceEntry>
}

/** One line of a chart: a value and the instants (seconds) at which it changes. */
export interface Series {
  readonly name: string
  readonly color: string
  readonly steps: ReadonlyArray<readonly [at: number, value: number]>
}

export interface Panel {
  readonly title: string
  readonly series: ReadonlyArray<Series>
}

const WIDTH = 860
const LEFT = 44
const RIGHT = 16
const PANEL_HEIGHT = 120
const GAP = 44
const TOP = 58
const COLORS = ["#2f6fdf", "#d9480f", "#2b8a3e", "#9c36b5", "#e67700"]
const GRAY = "#868e96"

const color = (index: number): string => COLORS[index % COLORS.length] ?? GRAY

type Zones = ReadonlyMap<string, string>

const runningCount = (
  entries: ReadonlyArray<TraceEntry>,
  changeOf: (entry: TraceEntry) => number
): ReadonlyArray<readonly [number, number]> => {
  const steps: Array<readonly [number, number]> = [[0, 0]]
  let value = 0
  for (const entry of entries) {
    const change = changeOf(entry)
    if (change === 0) continue
    value += change
    steps.push([entry.at, value])
  }
  return steps
}

/** The panels of a result: Ready nodes by zone, nodes with a NoExecute taint, ready pods by workload. */
export const panelsOf = (result: Drawn, zones: Zones): ReadonlyArray<Panel> => {
  const zoneNames = [...new Set(zones.values())].sort()
  const readyNodes = zoneNames.map((zone, index) => ({
    name: zone,
    color: color(index),
    steps: runningCount(result.trace, (entry) => {
      if (entry.type !== "ConditionChanged" || entry.condition !== "Ready" || zones.get(entry.node) !== zone) return 0
      if (entry.to === "True") return 1
      return entry.from === "True" ? -1 : 0
    })
  }))
  const tainted: Series = {
    name: "unreachable:NoExecute",
    color: "#c92a2a",
    steps: runningCount(result.trace, (entry) => {
      if (entry.type !== "TaintAdded" && entry.type !== "TaintRemoved") return 0
      if (entry.effect !== "NoExecute") return 0
      return entry.type === "TaintAdded" ? 1 : -1
    })
  }
  const evicted: Series = {
    name: "pods evicted so far",
    color: "#495057",
    steps: runningCount(result.trace, (entry) =>
      entry.type === "PodDeletionRequested" && entry.by === "taint-eviction" ? 1 : 0
    )
  }
  const ready = result.summary.workloads.map(({ name }, index) => ({
    name: `${name}: ready replicas`,
    color: color(index),
    steps: runningCount(result.trace, readyChange(name))
  }))
  return [
    { title: "Nodes that are Ready", series: readyNodes },
    { title: "Nodes tainted, pods evicted", series: [tainted, evicted] },
    { title: "Replicas behind the Service", series: ready }
  ]
}

/** Follows readiness of the pods of one workload; a pod that goes takes its readiness along. */
const readyChange = (workload: string) => {
  const ready = new Set<string>()
  return (entry: TraceEntry): number => {
    if (!("pod" in entry) || !entry.pod.startsWith(`${workload}-`)) return 0
    if (entry.type === "PodReadyChanged" && entry.ready && !ready.has(entry.pod)) {
      ready.add(entry.pod)
      return 1
    }
    const lost = (entry.type === "PodReadyChanged" && !entry.ready) || entry.type === "PodDeletionRequested"
    return lost && ready.delete(entry.pod) ? -1 : 0
  }
}

const xml = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;")

const clockLabel = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(Math.round(seconds % 60)).padStart(2, "0")}`

const faultBands = (result: Drawn, x: (at: number) => number, height: number): ReadonlyArray<string> =>
  result.trace.flatMap((entry) => {
    if (entry.type !== "FaultStarted") return []
    const end = result.trace.find(
      (other) => other.type === "FaultEnded" && other.fault === entry.fault && other.at > entry.at
    )
    const to = end?.at ?? result.spec.durationSeconds
    return [
      `<rect x="${x(entry.at)}" y="${TOP - 14}" width="${x(to) - x(entry.at)}" height="${height - TOP - 8}" fill="#fff3bf"/>`,
      `<text x="${x(entry.at) + 4}" y="${TOP - 2}" class="small">${xml(entry.fault)} of ${entry.nodes.length} nodes</text>`
    ]
  })

const drawPanel = (
  { series, title }: Panel,
  top: number,
  x: (at: number) => number,
  end: number
): ReadonlyArray<string> => {
  const most = Math.max(1, ...series.flatMap(({ steps }) => steps.map(([, value]) => value)))
  const y = (value: number) => top + PANEL_HEIGHT - (value / most) * PANEL_HEIGHT
  const lines = series.map(({ color: stroke, steps }) => {
    let path = ""
    for (const [index, [at, value]] of steps.entries()) {
      path += index === 0 ? `M${x(at)},${y(value)}` : `H${x(at)}V${y(value)}`
    }
    return `<path d="${path}H${x(end)}" fill="none" stroke="${stroke}" stroke-width="2"/>`
  })
  const legend = series.map(
    ({ color: fill, name }, index) =>
      `<text x="${LEFT + 230 + index * 170}" y="${top - 8}" class="small" fill="${fill}">■ ${xml(name)}</text>`
  )
  return [
    `<text x="${LEFT}" y="${top - 8}" class="title">${xml(title)}</text>`,
    ...legend,
    `<line x1="${LEFT}" y1="${top + PANEL_HEIGHT}" x2="${WIDTH - RIGHT}" y2="${top + PANEL_HEIGHT}" stroke="#ced4da"/>`,
    `<text x="${LEFT - 6}" y="${top + 4}" class="axis">${most}</text>`,
    `<text x="${LEFT - 6}" y="${top + PANEL_HEIGHT}" class="axis">0</text>`,
    ...lines
  ]
}

/** A result as an SVG picture: what happened over time. */
export const drawPicture = (result: Drawn, zones: Zones): string => {
  const panels = panelsOf(result, zones)
  const end = result.spec.durationSeconds
  const height = TOP + panels.length * (PANEL_HEIGHT + GAP) + 10
  const x = (at: number) => Math.round((LEFT + (at / end) * (WIDTH - LEFT - RIGHT)) * 10) / 10
  const ticks = Array.from({ length: 7 }, (_, index) => (end / 6) * index)
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" font-family="system-ui, sans-serif">`,
    `<style>.title{font-size:13px;font-weight:600;fill:#212529}.small{font-size:11px}.axis{font-size:10px;fill:${GRAY};text-anchor:end}.tick{font-size:10px;fill:${GRAY};text-anchor:middle}</style>`,
    `<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>`,
    `<text x="${LEFT}" y="22" class="title">${xml(result.metadata.name)}: ${clockLabel(end)} of virtual time, Kubernetes ${xml(result.spec.release)}</text>`,
    ...faultBands(result, x, height),
    ...panels.flatMap((panel, index) => drawPanel(panel, TOP + 24 + index * (PANEL_HEIGHT + GAP), x, end)),
    ...ticks.map((at) => `<text x="${x(at)}" y="${height - 8}" class="tick">${clockLabel(at)}</text>`),
    "</svg>",
    ""
  ].join("\n")
}
