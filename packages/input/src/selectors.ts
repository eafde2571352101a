import { type LabelSelector, parseLabelSelector, type Selector, selectorOf } from "@rollcall/api"
import * as Result from "effect/Result"

type Written = string | Readonly<Record<string, unknown>>

const isStructured = (value: Readonly<Record<string, unknown>>): boolean =>
  "matchLabels" in value || "matchExpressions" in value

/** A selector as people write it: kubectl's text, a LabelSelector, or simply labels. */
export const readSelector = (written: Written): Result.Result<Selector, string> => {
  if (typeof written === "string") return Result.mapError(parseLabelSelector(written), (error) => error.message)
  const selector = (isStructured(written) ? written : { matchLabels: written }) as LabelSelector
  return Result.succeed(selectorOf(selector))
}
