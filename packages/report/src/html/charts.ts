import type { ScenarioResult } from "@rollcall/simulator/result"
import { faultSpansOf } from "../why/Facts.ts"
import type { Chart } from "./axis.ts"
import { nodeChart, nodeStateNames } from "./nodeChart.ts"
import { podChart, podStateNames } from "./podChart.ts"
import { workloadChart } from "./workloadChart.ts"

/** An entry of a legend: the class of the elements that it explains, which is also the name of their colour, and what they mean. */
export type LegendEntry = readonly [colour: string, meaning: string]

/** A chart with its heading and its legend. */
export interface TitledChart {
  readonly title: string
  readonly chart: Chart
  readonly legend: ReadonlyArray<LegendEntry>
}

const nodeLegend: ReadonlyArray<LegendEntry> = [
  ["ready", nodeStateNames.ready],
  ["no-schedule", nodeStateNames["no-schedule"]],
  ["not-ready", nodeStateNames["not-ready"]],
  ["tainted", nodeStateNames.tainted],
  ["eviction", "a pod is evicted"],
  ["renewal", "the Lease is renewed"],
  ["fault", "a fault"],
  ["action", "an action"]
]

const podLegend: ReadonlyArray<LegendEntry> = [
  ["pod-pending", podStateNames.pending],
  ["pod-running", podStateNames.running],
  ["pod-ready", podStateNames.ready],
  ["pod-terminating", podStateNames.terminating],
  ["pod-ended", podStateNames.ended]
]

const workloadLegend: ReadonlyArray<LegendEntry> = [
  ["ready-line", "ready"],
  ["wanted", "wanted"]
]

/** Returns the charts of a run. Legends name only what the chart has. */
export const chartsOf = (result: ScenarioResult): ReadonlyArray<TitledChart> => {
  const faultSpans = faultSpansOf(result.trace, result.context.events, result.spec.durationSeconds)
  const charts = [
    { title: "NODES", chart: nodeChart(result, faultSpans), legend: nodeLegend },
    { title: "PODS", chart: podChart(result, faultSpans), legend: podLegend },
    { title: "REPLICAS", chart: workloadChart(result, faultSpans), legend: workloadLegend }
  ]
  return charts.flatMap(({ chart, legend, title }) =>
    chart === undefined
      ? []
      : [{ title, chart, legend: legend.filter(([name]) => chart.content.includes(`class="${name}"`)) }]
  )
}
