import { span } from "@rollcall/text"
import type { FaultSpan } from "../why/Facts.ts"
import { element, escapeHtml } from "./markup.ts"

/** The width and the margins of every chart, in SVG units. All charts of a page share them, so that their time axes align. */
export const frame = { width: 800, left: 150, right: 22, top: 26, bottom: 20 } as const

/** The possible intervals between two ticks of the time axis, in seconds. */
const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400]
const MAX_TICKS = 10
/** The mean width of a character in a label. */
const CHARACTER_WIDTH = 6.2

/** Makes a function that returns the x coordinate of a time. Both times are virtual seconds; `end` is the end of the run. */
export const makeXOf =
  (end: number) =>
  (seconds: number): number =>
    frame.left + (Math.min(Math.max(seconds, 0), end) / end) * (frame.width - frame.left - frame.right)

const stepFor = (end: number): number =>
  STEPS.find((step) => end / step <= MAX_TICKS) ?? Math.ceil(end / MAX_TICKS / 86_400) * 86_400

/** Renders the time axis below a chart, with vertical grid lines. */
export const timeAxis = (end: number, height: number): string => {
  const step = stepFor(end)
  const x = makeXOf(end)
  const bottom = height - frame.bottom
  const ticks = Array.from({ length: Math.floor(end / step) + 1 }, (_, index) => index * step)
  return ticks
    .map((at) => {
      const line = element("line", { class: "tick", x1: x(at), x2: x(at), y1: frame.top, y2: bottom })
      return line + element("text", { class: "time", x: x(at), y: height - 5 }, at === 0 ? "0" : span(at))
    })
    .join("")
}

const nameOf = ({ nodes, what }: FaultSpan): string => (nodes.length === 0 ? what : `${what} (${nodes.length})`)

/** Renders a fault as a shaded area, an action as a line. */
const faultArea = (fault: FaultSpan, x: (seconds: number) => number, height: number): string => {
  const [from, to] = [x(fault.from), x(fault.to)]
  const until = fault.isMoment ? "" : ` to ${fault.ended ? span(fault.to) : "the end"}`
  const title = element("title", {}, escapeHtml(`${nameOf(fault)}: ${span(fault.from)}${until}`))
  if (fault.isMoment) {
    return element("line", { class: "action", x1: from, x2: from, y1: frame.top, y2: height - frame.bottom }, title)
  }
  const size = { width: Math.max(to - from, 1.5), height: height - frame.top - frame.bottom }
  return element("rect", { class: "fault", x: from, y: frame.top, ...size }, title)
}

/** Renders the names of faults, and of actions, above a chart, where there is room: faults come first. */
const faultNames = (faultSpans: ReadonlyArray<FaultSpan>, x: (seconds: number) => number): string => {
  const taken: Array<readonly [from: number, to: number]> = []
  const inOrder = [...faultSpans.filter(({ isMoment }) => !isMoment), ...faultSpans.filter(({ isMoment }) => isMoment)]
  return inOrder
    .map((fault) => {
      const name = nameOf(fault)
      const width = name.length * CHARACTER_WIDTH
      const from = Math.min(x(fault.from), frame.width - width)
      const to = from + width + 8
      if (taken.some(([start, end]) => from < end && start < to)) return ""
      taken.push([from, to])
      return element("text", { class: "fault-name", x: from, y: frame.top - 8 }, escapeHtml(name))
    })
    .join("")
}

/** A chart, to be shown alone or below others. */
export interface Chart {
  /** What it shows, for readers who do not see it. */
  readonly label: string
  readonly height: number
  /** Its SVG elements. */
  readonly content: string
}

/** Makes a chart: its content, the shaded faults and the time axis. */
export const makeChart = (
  label: string,
  height: number,
  end: number,
  faultSpans: ReadonlyArray<FaultSpan>,
  content: string
): Chart => ({
  label,
  height,
  content: [
    ...faultSpans.map((fault) => faultArea(fault, makeXOf(end), height)),
    faultNames(faultSpans, makeXOf(end)),
    timeAxis(end, height),
    content
  ].join("")
})

/** Renders a chart as an SVG element of a page. */
export const renderChart = ({ content, height, label }: Chart): string =>
  element("svg", { viewBox: `0 0 ${frame.width} ${height}`, role: "img", "aria-label": label }, content)
