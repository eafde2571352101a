import { type InvalidInput, invalid } from "@rollcall/input"
import type { ScenarioResult } from "@rollcall/simulator/result"
import * as Result from "effect/Result"
import { renderBeside } from "./beside.ts"
import {
  type Comparison,
  renderComparison,
  renderComparisonJson,
  type SettingComparison
} from "./compare/comparison.ts"
import { renderHtml } from "./html/page.ts"
import { renderJson, renderNdjson, renderYaml } from "./machine.ts"
import type { Reported } from "./read/checkReported.ts"
import { renderTable } from "./table.ts"

/** The forms of a report: what each is for is in the description of `rollcall simulate --output`. */
export const reportFormats = ["table", "json", "yaml", "ndjson", "html"] as const
export type ReportFormat = (typeof reportFormats)[number]

/** What is written of a result as soon as it is there; `index`: how many have been before. */
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
      return ""
  }
}

/** What is written when all results are there: the page of all, or a table of them side by side. */
export const renderEnd = (format: ReportFormat, results: ReadonlyArray<ScenarioResult>): string => {
  if (format === "html") return renderHtml(results)
  return format === "table" && results.length > 1 ? renderBeside(results) : ""
}

const isResult = (reported: Reported): reported is ScenarioResult => reported.kind === "ScenarioResult"

const comparisonOf = (format: "table" | "json", comparison: Comparison | SettingComparison): string =>
  format === "json" ? renderComparisonJson(comparison) : renderComparison(comparison)

const piecesOf = (format: ReportFormat, reported: ReadonlyArray<Reported>): ReadonlyArray<string> => {
  const results = reported.filter(isResult)
  let index = 0
  const pieces = reported.map((one) =>
    isResult(one) ? renderOne(format, one, index++) : comparisonOf(format === "json" ? "json" : "table", one)
  )
  return results.length === 0 ? pieces : [...pieces, renderEnd(format, results)]
}

/** What V8 says of a text that is longer than texts can be. */
const isTooLong = (cause: unknown): boolean => cause instanceof RangeError && cause.message === "Invalid string length"

/**
 * The report on saved results and comparisons, in pieces to be written one after another: byte for byte what the command that made
 * them prints in this form. Fails where a form is asked for that a comparison does not have.
 */
export const renderReported = (
  format: ReportFormat,
  reported: ReadonlyArray<Reported>
): Result.Result<ReadonlyArray<string>, InvalidInput> => {
  const compared = reported.find((one) => !isResult(one))
  if (compared !== undefined && format !== "table" && format !== "json") {
    return Result.fail(
      invalid("command line", "--output", `found "${format}", expected table or json for a ${compared.kind}`)
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
