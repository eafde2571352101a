import type { ScenarioResult, Step, WorkloadCourse } from "@rollcall/simulator/result"
import { clock } from "@rollcall/text"
import type { FaultSpan } from "../why/Facts.ts"
import { chart, frame, xOf } from "./axis.ts"
import { element, escaped } from "./markup.ts"

const MOST_WORKLOADS = 12
const ROW = 46
const GAP = 14

/** Returns the SVG path of a step function. */
const stepPath = (steps: ReadonlyArray<Step>, x: (at: number) => number, y: (value: number) => number, end: number) =>
  steps
    .map(([at, value], index) => {
      const until = steps[index + 1]?.[0] ?? end
      return `${index === 0 ? "M" : "L"}${x(at).toFixed(1)} ${y(value).toFixed(1)}L${x(until).toFixed(1)} ${y(value).toFixed(1)}`
    })
    .join("")

const row = ({ kind, name, namespace, ready, wanted }: WorkloadCourse, top: number, end: number): string => {
  const x = xOf(end)
  const most = [...ready, ...wanted].reduce((greatest, [, value]) => Math.max(greatest, value), 1)
  const y = (value: number) => top + ROW - (value / most) * ROW
  const line = stepPath(ready, x, y, end)
  const title = ready.map(([at, value]) => `${clock(at)}  ${value} ready`).join("\n")
  return [
    element("text", { class: "zone", x: frame.left - 10, y: top + ROW / 2 }, escaped(name)),
    element("text", { class: "size", x: frame.left - 10, y: top + ROW / 2 + 14 }, escaped(`${kind}, ${namespace}`)),
    element("path", { class: "served", d: `${line}L${x(end).toFixed(1)} ${top + ROW}L${frame.left} ${top + ROW}Z` }),
    element("path", { class: "wanted", d: stepPath(wanted, x, y, end) }),
    element("path", { class: "ready-line", d: line }, element("title", {}, escaped(title)))
  ].join("")
}

/** Renders the chart of ready and wanted replicas, for the workloads with the longest lack of replicas. */
export const workloadChart = (
  { context: { workloads }, spec: { durationSeconds }, summary }: ScenarioResult,
  faultSpans: ReadonlyArray<FaultSpan>
): string => {
  const shortFor = ({ kind, name, namespace }: WorkloadCourse) =>
    summary.workloads.find((one) => one.kind === kind && one.name === name && one.namespace === namespace)
      ?.unavailableSeconds ?? 0
  const shown = [...workloads].sort((left, right) => shortFor(right) - shortFor(left)).slice(0, MOST_WORKLOADS)
  if (shown.length === 0) return ""
  const top = frame.top + 6
  const rows = shown.map((workload, index) => row(workload, top + index * (ROW + GAP), durationSeconds))
  const height = top + shown.length * (ROW + GAP) + frame.bottom
  return chart("ready replicas of the workloads over time", height, durationSeconds, faultSpans, rows.join(""))
}
