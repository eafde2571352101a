import type { ScenarioResult } from "@rollcall/simulator/result"
import { plural, span } from "@rollcall/text"
import { headline, verdict } from "../headline.ts"
import { pageLimits, type Section } from "../Section.ts"
import { sectionsOf } from "../sections.ts"
import { sideBySideRows } from "../sideBySide.ts"
import { renderChart } from "./axis.ts"
import { chartsOf, type LegendEntry, type TitledChart } from "./charts.ts"
import { element, escapeHtml } from "./markup.ts"
import { styleSheet } from "./style.ts"

const tableOf = (head: ReadonlyArray<string> | undefined, rows: ReadonlyArray<ReadonlyArray<string>>): string => {
  const line = (cell: "td" | "th", cells: ReadonlyArray<string>) =>
    element(
      "tr",
      {},
      cells.map((text) => element(cell, { class: classOf(text) }, escapeHtml(text.trim())))
    )
  const body = rows.map((row) => line("td", row))
  return element(
    "div",
    { class: "scroll" },
    element("table", {}, head === undefined ? body : [line("th", head), ...body])
  )
}

/** The class of a cell that states whether an expectation held. */
const classOf = (text: string): string | undefined =>
  text === "FAILED" ? "failed" : text.trim() === "held" ? "held" : undefined

const bodyOf = (section: Section): string => {
  switch (section.layout) {
    case "points":
      return element(
        "ul",
        {},
        section.points.map((point) => element("li", {}, escapeHtml(point)))
      )
    case "lines":
      return element("pre", {}, escapeHtml(section.lines.join("\n")))
    case "table":
      return tableOf(section.head, section.rows)
  }
}

const sectionOf = (section: Section): string => {
  const more = section.layout === "points" ? undefined : section.more
  return element("section", {}, [
    element("h2", {}, escapeHtml(section.title)),
    bodyOf(section),
    more === undefined ? "" : element("p", { class: "more" }, `… and ${escapeHtml(more)}`)
  ])
}

const tile = (name: string, value: string, kind?: string): string =>
  element("div", {}, [element("dt", {}, escapeHtml(name)), element("dd", { class: kind }, escapeHtml(value))])

/** Renders the key figures of a run. */
const tiles = (result: ScenarioResult): string => {
  const { evictions, workloads } = result.summary
  const [worst] = [...workloads].sort((left, right) => right.unavailableSeconds - left.unavailableSeconds)
  const failed = result.expectations.some(({ held }) => !held)
  return element("dl", { class: "tiles" }, [
    tile("pods evicted", evictions.total.toLocaleString("en-US")),
    ...(worst === undefined || worst.unavailableSeconds === 0
      ? []
      : [tile(`${worst.kind} ${worst.name} short for`, span(worst.unavailableSeconds))]),
    ...(result.warnings.length === 0 ? [] : [tile("warnings", String(result.warnings.length))]),
    tile("expectations", verdict(result), failed ? "failed" : result.expectations.length === 0 ? undefined : "held")
  ])
}

const swatch = ([colour, meaning]: LegendEntry): string =>
  element("span", {}, [element("i", { style: `background: var(--${colour})` }), escapeHtml(meaning)])

const chartSection = ({ chart, legend, title }: TitledChart): string =>
  element("section", {}, [
    element("h2", {}, title),
    renderChart(chart),
    element("p", { class: "legend" }, legend.map(swatch))
  ])

/** Renders one run. */
const articleOf = (result: ScenarioResult): string => {
  const { context } = result
  const sections = sectionsOf(result, pageLimits)
  // WHY comes first, as in every report; then the charts; then the tables for reference.
  const [first, ...rest] = sections
  const startsWithWhy = first?.title === "WHY"
  return element("article", { id: result.metadata.name }, [
    element("h1", {}, escapeHtml(result.metadata.name)),
    element("p", { class: "about" }, escapeHtml(context.description)),
    element("p", { class: "line" }, escapeHtml(headline(result))),
    tiles(result),
    startsWithWhy && first !== undefined ? sectionOf(first) : "",
    ...chartsOf(result).map(chartSection),
    ...(startsWithWhy ? rest : sections).map(sectionOf),
    element(
      "p",
      { class: "line" },
      escapeHtml(`${plural(result.trace.length, "trace entry", "trace entries")} · ${result.summary.traceDigest}`)
    )
  ])
}

const sideBySideOf = (all: ReadonlyArray<ScenarioResult>): string => {
  const [head, ...rows] = sideBySideRows(all)
  return element("section", {}, [element("h2", {}, "SIDE BY SIDE"), tableOf(head, rows)])
}

/** Renders the runs as one self-contained HTML page, without scripts or network access; it follows the reader's light or dark mode. */
export const renderHtml = (all: ReadonlyArray<ScenarioResult>): string => {
  const title = all.map(({ metadata }) => metadata.name).join(", ")
  const head = [
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    element("title", {}, escapeHtml(title)),
    element("style", {}, styleSheet)
  ]
  const body = [...(all.length > 1 ? [sideBySideOf(all)] : []), ...all.map(articleOf)]
  return `<!doctype html>\n${element("html", { lang: "en" }, [element("head", {}, head), element("body", {}, body)])}\n`
}
