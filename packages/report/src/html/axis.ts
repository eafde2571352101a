import { span } from "@rollcall/text"
import type { FaultSpan } from "../why/Facts.ts"
import { element, escapeHtml } from "./markup.ts"

/** The width and the margins of every chart, in SVG units. All charts of a page share them, so that their time axes align. */
export const frame = { width: 1000, left: 150, right: 22, top: 26, bottom: 20 } as const

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

/** Renders faults as shaded areas, with a label above where there is room. */
const faultAreas = (faultSpans: ReadonlyArray<FaultSpan>, end: number, height: number): string => {
  const x = makeXOf(end)
  /** Labels may start from here on, so that they do not overlap. */
  let freeFrom = 0
  return faultSpans
    .map((fault) => {
      const [from, to] = [x(fault.from), x(fault.to)]
      const name = nameOf(fault)
      const title = element(
        "title",
        {},
        escapeHtml(`${name}: ${span(fault.from)} to ${fault.ended ? span(fault.to) : "the end"}`)
      )
      const width = Math.max(to - from, 1.5)
      const area = element(
        "rect",
        { class: "fault", x: from, y: frame.top, width, height: height - frame.top - frame.bottom },
        title
      )
      const start = Math.min(from, frame.width - name.length * CHARACTER_WIDTH)
      if (start < freeFrom) return area
      freeFrom = start + name.length * CHARACTER_WIDTH + 8
      return area + element("text", { class: "fault-name", x: start, y: frame.top - 8 }, escapeHtml(name))
    })
    .join("")
}

/** Renders a chart: its content, the shaded faults and the time axis. */
export const chart = (
  label: string,
  height: number,
  end: number,
  faultSpans: ReadonlyArray<FaultSpan>,
  content: string
): string =>
  element(
    "svg",
    { viewBox: `0 0 ${frame.width} ${height}`, role: "img", "aria-label": label },
    faultAreas(faultSpans, end, height) + timeAxis(end, height) + content
  )
