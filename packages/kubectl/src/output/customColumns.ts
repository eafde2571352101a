import { type KubeObject, sortedEntries } from "@rollcall/api"
import { findJsonPath, type JsonPath, parseJsonPath } from "@rollcall/api/printing"
import * as Result from "effect/Result"
import { type CommandError, commandError } from "../CommandError.ts"
import { TabWriter } from "./TabWriter.ts"

interface Column {
  readonly header: string
  readonly path: JsonPath
}

const relaxed = /^\{\.?([^{}]+)\}$|^\.?([^{}]+)$/

/** Normalizes a JSONPath: `metadata.name`, `.metadata.name` and `{.metadata.name}` are equivalent. */
export const readPath = (text: string): Result.Result<JsonPath, CommandError> => {
  const match = relaxed.exec(text)
  if (match === null) {
    return Result.fail(
      commandError(
        `unexpected path string, expected a 'name1.name2' or '.name1.name2' or '{name1.name2}' or '{.name1.name2}'`
      )
    )
  }
  return Result.mapError(parseJsonPath(`{.${match[1] ?? match[2]}}`), ({ message }) => commandError(message))
}

/** Formats a value like Go's `%v`. */
const goText = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(goText).join(" ")}]`
  if (value === null || value === undefined) return "<nil>"
  if (typeof value !== "object") return String(value)
  const entries = sortedEntries(value)
  return `map[${entries.map(([key, item]) => `${key}:${goText(item)}`).join(" ")}]`
}

const cellOf = (path: JsonPath, object: unknown): string => {
  const found = findJsonPath(path, object, { allowMissingKeys: true })
  const values = Result.isSuccess(found) ? (found.success[0] ?? []) : []
  return values.length === 0 ? "<none>" : values.map(goText).join(",")
}

const itemsOf = (object: KubeObject): ReadonlyArray<unknown> => {
  const { items } = object as KubeObject & { readonly items?: ReadonlyArray<unknown> }
  return Array.isArray(items) ? items : [object]
}

/** `-o custom-columns=NAME:.metadata.name,…`. Upstream: kubectl/pkg/cmd/get/customcolumn.go. */
export const customColumns = (
  spec: string
): Result.Result<(object: KubeObject) => Result.Result<string, CommandError>, CommandError> => {
  if (spec === "") return Result.fail(commandError("custom-columns format specified but no custom columns given"))
  const columns: Array<Column> = []
  for (const part of spec.split(",")) {
    const [header = "", ...path] = part.split(":")
    if (path.length === 0) {
      return Result.fail(commandError(`unexpected custom-columns spec: ${part}, expected <header>:<json-path-expr>`))
    }
    const read = readPath(path.join(":"))
    if (Result.isFailure(read)) return Result.fail(read.failure)
    columns.push({ header, path: read.success })
  }
  return Result.succeed((object) => {
    const writer = new TabWriter({ minWidth: 6, padding: 3 })
    writer.write(`${columns.map(({ header }) => header).join("\t")}\n`)
    for (const item of itemsOf(object)) writer.write(`${columns.map(({ path }) => cellOf(path, item)).join("\t")}\n`)
    return Result.succeed(writer.flush())
  })
}
