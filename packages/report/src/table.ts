import type { ScenarioResult } from "@rollcall/simulator/result"
import { columns, fold, plural, printable } from "@rollcall/text"
import { headline, verdict } from "./headline.ts"
import { type Section, screenLimits } from "./Section.ts"
import { sectionsOf } from "./sections.ts"

const INDENT = "  "

const bodyOf = (section: Section): ReadonlyArray<string> => {
  switch (section.layout) {
    case "points":
      return section.points.flatMap((text) => fold(text).map((line, index) => `${index === 0 ? "- " : INDENT}${line}`))
    case "lines":
      return section.lines.flatMap((line) => (section.folds ? fold(line) : [line])).map((line) => `${INDENT}${line}`)
    case "table":
      return columns(section.head === undefined ? section.rows : [section.head, ...section.rows])
  }
}

const linesOf = (section: Section): ReadonlyArray<string> => {
  const more = section.layout === "points" ? undefined : section.more
  return ["", section.title, ...bodyOf(section), ...(more === undefined ? [] : [`${INDENT}… and ${more}`])]
}

/** Renders a result as text: the causes, the timeline, then the tables. */
export const renderTable = (result: ScenarioResult): string => {
  const { evictions, traceDigest } = result.summary
  const lines = [
    result.metadata.name,
    ...fold(result.context.description),
    "",
    headline(result),
    ...sectionsOf(result, screenLimits).flatMap(linesOf),
    "",
    `${plural(evictions.total, "pod")} evicted · ${verdict(result)} · trace ${traceDigest.slice(0, 19)}…`,
    ""
  ]
  return printable(lines.join("\n"))
}
