import { span } from "@rollcall/text"
import type { FaultSpan } from "../why/Facts.ts"
import { element, escaped } from "./markup.ts"

/** The margins of every chart. All charts of a page share them, so that their time axes align. */
export const frame = { width: 1000, left: 150, right: 22, top: 26, bottom: 20 } as const

const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400]
const MOST_TICKS = 10
const LABEL_WIDTH = 6.2

/** Returns the x coordinate of a time in seconds. */
export const xOf =
  (end: number) =>
  (seconds: number): number =>
    frame.left + (Math.min(Math.max(seconds, 0), end) / end) * (frame.width - frame.left - frame.right)

const stepFor = (end: number): number =>
  STEPS.find((step) => end / step <= MOST_TICKS) ?? Math.ceil(end / MOST_TICKS / 86_400) * 86_400

/** Renders the time axis below a chart, with vertical grid lines. */
export const timeAxis = (end: number, height: number): string => {
  const step = stepFor(end)
  const x = xOf(end)
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
export const shades = (faultSpans: ReadonlyArray<FaultSpan>, end: number, height: number): string => {
  const x = xOf(end)
  let free = 0
  return faultSpans
    .map((fault) => {
      const [from, to] = [x(fault.from), x(fault.to)]
      const name = nameOf(fault)
      const title = element(
        "title",
        {},
        escaped(`${name}: ${span(fault.from)} to ${fault.ended ? span(fault.to) : "the end"}`)
      )
      const width = Math.max(to - from, 1.5)
      const shade = element(
        "rect",
        { class: "fault", x: from, y: frame.top, width, height: height - frame.top - frame.bottom },
        title
      )
      const start = Math.min(from, frame.width - name.length * LABEL_WIDTH)
      if (start < free) return shade
      free = start + name.length * LABEL_WIDTH + 8
      return shade + element("text", { class: "fault-name", x: start, y: frame.top - 8 }, escaped(name))
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
    shades(faultSpans, end, height) + timeAxis(end, height) + content
  )
