import type { ScenarioResult, Step, WorkloadCourse } from "@rollcall/simulator/result"
import { clock } from "@rollcall/text"
import type { FaultSpan } from "../why/Facts.ts"
import { type Chart, frame, makeChart, makeXOf } from "./axis.ts"
import { element, escapeHtml } from "./markup.ts"

const MAX_WORKLOADS = 12
const ROW_HEIGHT = 46
/** The space between two rows. */
const ROW_GAP = 14

/** Returns the SVG path of a step function. */
const stepPath = (steps: ReadonlyArray<Step>, x: (at: number) => number, y: (value: number) => number, end: number) =>
  steps
    .map(([at, value], index) => {
      const until = steps[index + 1]?.[0] ?? end
      return `${index === 0 ? "M" : "L"}${x(at).toFixed(1)} ${y(value).toFixed(1)}L${x(until).toFixed(1)} ${y(value).toFixed(1)}`
    })
    .join("")

const renderRow = ({ kind, name, namespace, ready, wanted }: WorkloadCourse, top: number, end: number): string => {
  const x = makeXOf(end)
  const most = [...ready, ...wanted].reduce((greatest, [, value]) => Math.max(greatest, value), 1)
  const y = (value: number) => top + ROW_HEIGHT - (value / most) * ROW_HEIGHT
  const line = stepPath(ready, x, y, end)
  const title = ready.map(([at, value]) => `${clock(at)}  ${value} ready`).join("\n")
  return [
    element("text", { class: "zone", x: frame.left - 10, y: top + ROW_HEIGHT / 2 }, escapeHtml(name)),
    element(
      "text",
      { class: "size", x: frame.left - 10, y: top + ROW_HEIGHT / 2 + 14 },
      escapeHtml(`${kind}, ${namespace}`)
    ),
    element("path", {
      class: "served",
      d: `${line}L${x(end).toFixed(1)} ${top + ROW_HEIGHT}L${frame.left} ${top + ROW_HEIGHT}Z`
    }),
    element("path", { class: "wanted", d: stepPath(wanted, x, y, end) }),
    element("path", { class: "ready-line", d: line }, element("title", {}, escapeHtml(title)))
  ].join("")
}

/** Returns the chart of ready and wanted replicas, for the workloads that were short of replicas for longest; undefined if there are none. */
export const workloadChart = (
  { context: { workloads }, spec: { durationSeconds }, summary }: ScenarioResult,
  faultSpans: ReadonlyArray<FaultSpan>
): Chart | undefined => {
  const shortFor = ({ kind, name, namespace }: WorkloadCourse) =>
    summary.workloads.find((one) => one.kind === kind && one.name === name && one.namespace === namespace)
      ?.unavailableSeconds ?? 0
  const shown = [...workloads].sort((left, right) => shortFor(right) - shortFor(left)).slice(0, MAX_WORKLOADS)
  if (shown.length === 0) return undefined
  const top = frame.top + 6
  const rows = shown.map((workload, index) =>
    renderRow(workload, top + index * (ROW_HEIGHT + ROW_GAP), durationSeconds)
  )
  const height = top + shown.length * (ROW_HEIGHT + ROW_GAP) + frame.bottom
  return makeChart("ready replicas of the workloads over time", height, durationSeconds, faultSpans, rows.join(""))
}
