import * as Result from "effect/Result"
import { escapeHtml } from "../json.ts"
import { type FindOptions, findJsonPath } from "./findJsonPath.ts"
import type { JsonPath, JsonPathError } from "./JsonPath.ts"

const escaped = (text: string): string => escapeHtml(JSON.stringify(text))

const write = (value: unknown, indent: number, margin: string): string => {
  if (typeof value === "string") return escaped(value)
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null"
  const inner = margin + " ".repeat(indent)
  const items = Array.isArray(value)
    ? value.map((item) => write(item, indent, inner))
    : Object.entries(value)
        .filter(([, item]) => item !== undefined)
        .toSorted(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0))
        .map(([key, item]) => `${escaped(key)}:${indent === 0 ? "" : " "}${write(item, indent, inner)}`)
  const [open, close] = Array.isArray(value) ? "[]" : "{}"
  if (items.length === 0) return `${open}${close}`
  if (indent === 0) return `${open}${items.join(",")}${close}`
  return `${open}\n${inner}${items.join(`,\n${inner}`)}\n${margin}${close}`
}

/** Formats JSON as Go does for a map: keys in byte order, HTML characters escaped. */
export const goJson = (value: unknown, indent = 0): string => write(value, indent, "")

/** Formats a value that a template selected: scalars as text, everything else as JSON. */
export const jsonPathValueText = (value: unknown): string => {
  if (value === undefined || value === null) return "<nil>"
  return typeof value === "object" ? goJson(value) : String(value)
}

/** Prints a template for an object: the values of one path separated by spaces, paths and text concatenated. */
export const printJsonPath = (
  template: JsonPath,
  data: unknown,
  options: FindOptions = {}
): Result.Result<string, JsonPathError> =>
  Result.map(findJsonPath(template, data, options), (lists) =>
    lists.map((values) => values.map(jsonPathValueText).join(" ")).join("")
  )
