import { parseTime } from "@rollcall/api"
import { ageOf, findJsonPath, type JsonPath, jsonPathValueText, parseJsonPath } from "@rollcall/api/printing"
import * as Result from "effect/Result"
import { ageColumn, nameColumn, type Printer } from "./Printer.ts"

/** A column from a CustomResourceDefinition. */
export interface AdditionalPrinterColumn {
  readonly name: string
  readonly type: string
  readonly format?: string
  readonly description?: string
  readonly priority?: number
  readonly jsonPath: string
}

const cellOf = (type: string, value: unknown, nowMs: number): unknown => {
  if (value === undefined || value === null) return null
  switch (type) {
    case "integer":
      return typeof value === "number" ? Math.trunc(value) : null
    case "number":
      return typeof value === "number" ? value : null
    case "boolean":
      return typeof value === "boolean" ? value : null
    case "string":
      return jsonPathValueText(value)
    case "date":
      if (typeof value !== "string") return null
      return Number.isNaN(parseTime(value)) ? "<invalid>" : ageOf(value, nowMs)
    default:
      return null
  }
}

interface Compiled {
  readonly type: string
  readonly path: JsonPath | undefined
}

/** The maximum number of values that one column may visit in one object: it shows one of them. */
const MAX_VALUES = 10_000

const cellAt = ({ path, type }: Compiled, object: unknown, nowMs: number): unknown => {
  if (path === undefined) return null
  const found = findJsonPath(path, object, { allowMissingKeys: true, maxValues: MAX_VALUES })
  return Result.isSuccess(found) ? cellOf(type, found.success[0]?.[0], nowMs) : null
}

/**
 * Makes the table of a custom resource: its name, and the columns of its definition; the age if there are none.
 * Upstream: apiextensions-apiserver/pkg/registry/customresource/tableconvertor.
 */
export const customResourcePrinter = (columns: ReadonlyArray<AdditionalPrinterColumn> | undefined): Printer => {
  if (columns === undefined || columns.length === 0) {
    const age = { ...ageColumn.definition, type: "date" }
    return {
      columns: [nameColumn.definition, age],
      row: (object, nowMs) => ({ cells: [nameColumn.cell(object, nowMs), ageColumn.cell(object, nowMs)] })
    }
  }
  const compiled = columns.map(({ jsonPath, type }): Compiled => {
    const path = parseJsonPath(`{${jsonPath}}`)
    return { type, path: Result.isSuccess(path) ? path.success : undefined }
  })
  return {
    columns: [
      nameColumn.definition,
      ...columns.map(({ description, format, jsonPath, name, priority, type }) => ({
        name,
        type,
        format: format ?? "",
        description: description || `Custom resource definition column (in JSONPath format): ${jsonPath}`,
        priority: priority ?? 0
      }))
    ],
    row: (object, nowMs) => ({
      cells: [object.metadata.name ?? "", ...compiled.map((column) => cellAt(column, object, nowMs))]
    })
  }
}
