import { type LabelSelector, parseLabelSelector, type Selector, selectorOf } from "@rollcall/api"
import * as Result from "effect/Result"

type SelectorInput = string | Readonly<Record<string, unknown>>

const isStructured = (value: Readonly<Record<string, unknown>>): boolean =>
  "matchLabels" in value || "matchExpressions" in value

/** Reads a label selector: kubectl's text, a LabelSelector, or labels. Fails with the reason if the text is invalid. */
export const readSelector = (input: SelectorInput): Result.Result<Selector, string> => {
  if (typeof input === "string") return Result.mapError(parseLabelSelector(input), (error) => error.message)
  const selector = (isStructured(input) ? input : { matchLabels: input }) as LabelSelector
  return Result.succeed(selectorOf(selector))
}
