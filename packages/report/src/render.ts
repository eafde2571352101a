import { type InvalidInput, invalid } from "@rollcall/input"
import type { ScenarioResult } from "@rollcall/simulator/result"
import * as Result from "effect/Result"
import {
  type Comparison,
  renderComparison,
  renderComparisonJson,
  type SettingComparison
} from "./compare/comparison.ts"
import { renderHtml } from "./html/page.ts"
import { renderSvg } from "./html/picture.ts"
import { renderJson, renderNdjson, renderYaml } from "./machineFormats.ts"
import type { Reported } from "./read/checkReported.ts"
import { renderSideBySide } from "./sideBySide.ts"
import { renderTable } from "./table.ts"

/** The formats of a report; `rollcall simulate --output` describes them. */
export const reportFormats = ["table", "json", "yaml", "ndjson", "html", "svg"] as const
export type ReportFormat = (typeof reportFormats)[number]

/** Renders one result, which can be written before the next is available. `index` is the number of results before it. */
export const renderOne = (format: ReportFormat, result: ScenarioResult, index: number): string => {
  switch (format) {
    case "table":
      return renderTable(result)
    case "json":
      return renderJson(result)
    case "yaml":
      return `${index === 0 ? "" : "---\n"}${renderYaml(result)}`
    case "ndjson":
      return renderNdjson(result)
    case "html":
    case "svg":
      // One page or picture shows all results: `renderEnd` renders it.
      return ""
  }
}

/** Renders the end of the report, after all results: the HTML page, the picture, or the table that compares them. */
export const renderEnd = (format: ReportFormat, results: ReadonlyArray<ScenarioResult>): string => {
  if (format === "html") return renderHtml(results)
  if (format === "svg") return renderSvg(results)
  return format === "table" && results.length > 1 ? renderSideBySide(results) : ""
}

const isResult = (reported: Reported): reported is ScenarioResult => reported.kind === "ScenarioResult"

const renderComparisonAs = (format: "table" | "json", comparison: Comparison | SettingComparison): string =>
  format === "json" ? renderComparisonJson(comparison) : renderComparison(comparison)

const piecesOf = (format: ReportFormat, reported: ReadonlyArray<Reported>): ReadonlyArray<string> => {
  const results = reported.filter(isResult)
  let index = 0
  const pieces = reported.map((one) =>
    isResult(one) ? renderOne(format, one, index++) : renderComparisonAs(format === "json" ? "json" : "table", one)
  )
  return results.length === 0 ? pieces : [...pieces, renderEnd(format, results)]
}

/** Returns whether an error is V8's error for a string beyond its maximum length. */
const isTooLong = (cause: unknown): boolean => cause instanceof RangeError && cause.message === "Invalid string length"

/**
 * Renders the report on saved results and comparisons, as pieces to write one after another. Together they are, byte for byte, the output
 * of the command that made the input, in this format. Fails if a comparison does not support the format.
 */
export const renderReported = (
  format: ReportFormat,
  reported: ReadonlyArray<Reported>
): Result.Result<ReadonlyArray<string>, InvalidInput> => {
  const comparison = reported.find((one) => !isResult(one))
  if (comparison !== undefined && format !== "table" && format !== "json") {
    return Result.fail(
      invalid("command line", "--output", `found "${format}", expected table or json for a ${comparison.kind}`)
    )
  }
  return Result.try({
    try: () => piecesOf(format, reported),
    catch: (cause) => {
      if (isTooLong(cause)) return invalid("command line", "--output", `the result is too large for ${format}`)
      throw cause
    }
  })
}
