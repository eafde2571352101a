import { type CommandStep, isObject, type Json, type JsonObject } from "./Case.ts"
import { maskDocumentation } from "./explain.ts"
import { patternOf, replaceAll } from "./pattern.ts"
import { ageCell, DURATION, type Placeholders } from "./placeholders.ts"
import { maskHeadless, maskTables } from "./tables.ts"

type TextOptions = Pick<CommandStep, "mask" | "only" | "loose" | "sorted" | "docs"> & {
  readonly argv?: ReadonlyArray<string>
}

const eachLine = (lines: ReadonlyArray<string>): string => lines.map((line) => `${line}\n`).join("")

const inText: ReadonlyArray<readonly [RegExp, string]> = [
  [/("resourceVersion": ?")\d+(")/g, "$1<RV>$2"],
  [/(resourceVersion: ['"]?)\d+/g, "$1<RV>"],
  [/(Resource Version: +)\d+/g, "$1<RV>"],
  [/("continue": ?")[\w=-]+(")/g, "$1<CONTINUE>$2"],
  [new RegExp(`\\((?=\\d)${DURATION} ago\\)`, "g"), "(<AGE> ago)"],
  [/Server Version: v[\w.+-]+/g, "Server Version: <VERSION>"],
  [/server \(\d+\.\d+\)/g, "server (<VERSION>)"]
]

/** Sorts the reasons of kubectl drain's warning: it prints them in the order of a map, which Go makes random. */
const inOrder = (reasons: string): string => reasons.split("; ").sort().join("; ")

/** Normalizes a text for comparison: placeholders first, then the options of the step. */
export const normaliseText = (text: string, fill: Placeholders, options: TextOptions = {}): string => {
  let result = maskTables(text.replaceAll("\r\n", "\n"))
  if (options.argv?.includes("--no-headers") === true) result = maskHeadless(result)
  result = fill(result)
  for (const [pattern, replacement] of inText) result = result.replace(pattern, replacement)
  result = result.replace(
    /^(Warning: )((?:ignoring|deleting) .*; .*)$/gm,
    (_line, start: string, reasons: string) => start + inOrder(reasons)
  )
  for (const [pattern, replacement] of options.mask ?? []) result = replaceAll(result, pattern, replacement)
  if (options.docs === true) result = maskDocumentation(result)
  if (options.only !== undefined) {
    const wanted = patternOf(options.only)
    result = eachLine(result.split("\n").filter((line) => wanted.test(line)))
  }
  if (options.loose === true) result = result.replace(/(?<=\S)[ \t]{2,}/g, "   ").replace(/[ \t]+$/gm, "")
  if (options.sorted === true) {
    result = eachLine(
      result
        .split("\n")
        .filter((line) => line !== "")
        .sort()
    )
  }
  return result
}

const versionFields = new Set(
  "minor emulationMinor minCompatibilityMinor gitVersion gitCommit gitTreeState buildDate goVersion compiler platform".split(
    " "
  )
)

const normaliseTable = (table: JsonObject): JsonObject => {
  const { columnDefinitions = null, rows } = table
  const listOf = (value: Json | undefined) => (Array.isArray(value) ? value.filter(isObject) : [])
  const mask = (cell: Json): Json => (typeof cell === "string" && ageCell.test(cell) ? "<AGE>" : cell)
  return {
    ...table,
    rows: listOf(rows).map((row) => ({ ...row, cells: Array.isArray(row.cells) ? row.cells.map(mask) : [] })),
    columnDefinitions:
      columnDefinitions === null ? null : listOf(columnDefinitions).map((one) => ({ ...one, description: "<DOC>" }))
  }
}

/** Normalizes a JSON value for comparison; without managedFields unless they are kept. */
export const normaliseData = (value: Json, fill: Placeholders, keepManaged: boolean, key = ""): Json => {
  if (typeof value === "string") {
    if (key === "resourceVersion" && value !== "" && value !== "0") return "<RV>"
    if (key === "continue" && value !== "") return "<CONTINUE>"
    return versionFields.has(key) ? "<VERSION>" : fill(value)
  }
  if (Array.isArray(value)) return value.map((item) => normaliseData(item, fill, keepManaged))
  if (!isObject(value)) return value
  const object = value.kind === "Table" ? normaliseTable(value) : value
  return Object.fromEntries(
    Object.entries(object)
      .filter(([name]) => keepManaged || name !== "managedFields")
      .map(([name, item]) => [fill(name), normaliseData(item, fill, keepManaged, name)])
  )
}
