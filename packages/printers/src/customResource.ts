import { type KubeObject, parseTime } from "@rollcall/api"
import { exactInteger } from "@rollcall/api/json"
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

const LEAST_INT64 = -(2n ** 63n)
const BEYOND_INT64 = 2 ** 63

/** Converts as Go on amd64: a float64 beyond all of int64 is the least of these. */
const int64Of = (value: number): number | bigint => {
  const whole = Math.trunc(value)
  return whole >= -BEYOND_INT64 && whole < BEYOND_INT64 ? (exactInteger(BigInt(whole)) ?? whole) : LEAST_INT64
}

/** Returns the cell for a value: null if the value does not have the column's type. */
const cellOf = (type: string, value: unknown, nowMs: number): unknown => {
  if (value === undefined) return null
  // Go's template prints a null so.
  if (value === null) return type === "string" ? "<no value>" : null
  switch (type) {
    case "integer":
      return typeof value === "number" ? int64Of(value) : typeof value === "bigint" ? value : null
    case "number":
      return typeof value === "number" ? value : typeof value === "bigint" ? Number(value) : null
    case "boolean":
      return typeof value === "boolean" ? value : null
    case "string":
      return jsonPathValueText(value)
    case "date":
      if (typeof value !== "string") return null
      if (value === "") return "<unknown>"
      return Number.isNaN(parseTime(value)) ? "<invalid>" : ageOf(value, nowMs)
    default:
      return null
  }
}

interface CompiledColumn {
  readonly type: string
  /** Undefined if the column's path is invalid: then its cells are null. */
  readonly path: JsonPath | undefined
}

/** The maximum number of values that a path may visit in one object, of which the cell shows the first. */
const MAX_VALUES = 10_000

const cellAt = ({ path, type }: CompiledColumn, object: unknown, nowMs: number): unknown => {
  if (path === undefined) return null
  const found = findJsonPath(path, object, { allowMissingKeys: true, maxValues: MAX_VALUES })
  return Result.isSuccess(found) ? cellOf(type, found.success[0]?.[0], nowMs) : null
}

/** Bookmarks alone have no time: a cell whose path finds nothing is null. */
const ageCell = (object: KubeObject, nowMs: number): unknown =>
  object.metadata.creationTimestamp === undefined ? null : ageColumn.cell(object, nowMs)

/**
 * Makes the printer of a custom resource: its name and the columns of its definition, or its age if there are none.
 * Upstream: apiextensions-apiserver/pkg/registry/customresource/tableconvertor.
 */
export const customResourcePrinter = (columns: ReadonlyArray<AdditionalPrinterColumn> | undefined): Printer => {
  if (columns === undefined || columns.length === 0) {
    const age = { ...ageColumn.definition, type: "date" }
    return {
      columns: [nameColumn.definition, age],
      row: (object, nowMs) => ({ cells: [nameColumn.cell(object, nowMs), ageCell(object, nowMs)] })
    }
  }
  const compiled = columns.map(({ jsonPath, type }): CompiledColumn => {
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

/**
 * The printer of the Scales of custom resources. Upstream:
 * apiextensions-apiserver/pkg/apiserver/customresource_handler.go, scaleColumns.
 */
export const customScalePrinter: Printer = customResourcePrinter([
  { name: "Desired", type: "integer", description: "How many replicas are wanted.", jsonPath: ".spec.replicas" },
  { name: "Available", type: "integer", description: "How many replicas there are.", jsonPath: ".status.replicas" },
  { name: "Age", type: "date", description: ageColumn.definition.description, jsonPath: ".metadata.creationTimestamp" }
])
