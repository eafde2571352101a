import type { ScenarioResult } from "@rollcall/simulator/result"
import { frame } from "./axis.ts"
import { chartsOf, type LegendEntry, type TitledChart } from "./charts.ts"
import { element, escapeHtml } from "./markup.ts"
import { chartStyle, colours } from "./style.ts"

const TITLE_HEIGHT = 26
const LEGEND_LINE = 17
const MARGIN = 12
/** The mean width of a character in a legend. */
const CHARACTER_WIDTH = 6.3

interface Drawn {
  readonly height: number
  readonly content: string
}

/** Draws a legend, on as many lines as it needs. */
const drawLegend = (legend: ReadonlyArray<LegendEntry>): Drawn => {
  let x: number = frame.left
  let y = LEGEND_LINE
  const entries = legend.map(([colour, meaning]) => {
    const width = 16 + meaning.length * CHARACTER_WIDTH
    if (x > frame.left && x + width > frame.width - frame.right) {
      x = frame.left
      y += LEGEND_LINE
    }
    const swatch = element("rect", { class: `swatch-${colour}`, x, y: y - 9, width: 11, height: 11, rx: 2 })
    const text = element("text", { class: "meaning", x: x + 16, y }, escapeHtml(meaning))
    x += width + 16
    return swatch + text
  })
  return { height: y + 9, content: entries.join("") }
}

const stack = (parts: ReadonlyArray<Drawn>): Drawn => {
  let height = 0
  const content = parts.map((part) => {
    const placed = element("g", { transform: `translate(0 ${height})` }, part.content)
    height += part.height
    return placed
  })
  return { height, content: content.join("\n") }
}

const drawChart = ({ chart, legend, title }: TitledChart): Drawn =>
  stack([
    { height: TITLE_HEIGHT, content: element("text", { class: "heading", x: MARGIN, y: TITLE_HEIGHT - 8 }, title) },
    { height: chart.height, content: chart.content.replaceAll("><rect", ">\n<rect") },
    drawLegend(legend)
  ])

/** Draws one run. Its name is above the charts if it is one of several. */
const drawRun = (result: ScenarioResult, isNamed: boolean): Drawn => {
  const name = element("text", { class: "run", x: MARGIN, y: TITLE_HEIGHT }, escapeHtml(result.metadata.name))
  return stack([...(isNamed ? [{ height: TITLE_HEIGHT + 6, content: name }] : []), ...chartsOf(result).map(drawChart)])
}

const style = `
svg { ${colours.light} }
@media (prefers-color-scheme: dark) { svg { ${colours.dark} } }
${chartStyle}
.paper { fill: var(--paper); } .heading { font-weight: 600; letter-spacing: .08em; } .run { fill: var(--ink); font-size: 15px; font-weight: 600; }
`

const swatchStyle = (runs: ReadonlyArray<ScenarioResult>): string =>
  [...new Set(runs.flatMap(chartsOf).flatMap(({ legend }) => legend.map(([colour]) => colour)))]
    .map((colour) => `.swatch-${colour} { fill: var(--${colour}); }`)
    .join(" ")

/** Renders the charts of runs as one SVG picture, without scripts or network access; it follows the reader's light or dark mode. */
export const renderSvg = (all: ReadonlyArray<ScenarioResult>): string => {
  const { content, height } = stack(all.map((result) => drawRun(result, all.length > 1)))
  const label = `${all.map(({ metadata }) => metadata.name).join(", ")}: nodes, pods and replicas over time`
  const whole = height + MARGIN
  const attributes = {
    xmlns: "http://www.w3.org/2000/svg",
    viewBox: `0 0 ${frame.width} ${whole}`,
    width: frame.width,
    height: whole,
    role: "img",
    "aria-label": label
  }
  const paper = element("rect", { class: "paper", width: frame.width, height: whole, rx: 8 })
  return `${element("svg", attributes, [element("style", {}, `${style}${swatchStyle(all)}\n`), paper, "\n", content])}\n`
}
