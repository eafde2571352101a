import * as Result from "effect/Result"
import { escapeHtml } from "../json.ts"
import { goNumber } from "../patch/goText.ts"
import { type FindOptions, findJsonPath } from "./findJsonPath.ts"
import type { JsonPath, JsonPathError } from "./JsonPath.ts"

const quoted = (text: string): string => escapeHtml(JSON.stringify(text))

const format = (value: unknown, indent: number, margin: string): string => {
  if (typeof value === "string") return quoted(value)
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null"
  const inner = margin + " ".repeat(indent)
  const items = Array.isArray(value)
    ? value.map((item) => format(item, indent, inner))
    : Object.entries(value)
        .filter(([, item]) => item !== undefined)
        .toSorted(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0))
        .map(([key, item]) => `${quoted(key)}:${indent === 0 ? "" : " "}${format(item, indent, inner)}`)
  const [open, close] = Array.isArray(value) ? "[]" : "{}"
  if (items.length === 0) return `${open}${close}`
  if (indent === 0) return `${open}${items.join(",")}${close}`
  return `${open}\n${inner}${items.join(`,\n${inner}`)}\n${margin}${close}`
}

/** Formats JSON as Go's encoding/json does for a map: keys sorted, HTML characters escaped. */
export const goJson = (value: unknown, indent = 0): string => format(value, indent, "")

/** Formats a value that a template selected: null as `<nil>`, scalars as text, everything else as JSON. */
export const jsonPathValueText = (value: unknown): string => {
  if (value === undefined || value === null) return "<nil>"
  if (typeof value === "number") return goNumber(value)
  return typeof value === "object" ? goJson(value) : String(value)
}

/** Prints what a template selects in an object: the values of one path separated by spaces, paths and text concatenated. */
export const printJsonPath = (
  template: JsonPath,
  data: unknown,
  options: FindOptions = {}
): Result.Result<string, JsonPathError> =>
  Result.map(findJsonPath(template, data, options), (lists) =>
    lists.map((values) => values.map(jsonPathValueText).join(" ")).join("")
  )
