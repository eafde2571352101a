import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { InvalidInput, nearest, type Problem, problemAt, type Wrong } from "../Problem.ts"
import { misplacedField, wrongValue } from "../wrong.ts"
import type { Given, Setting, SettingsTable } from "./Setting.ts"

/** A file and a path in it. */
export interface Place {
  readonly file: string
  /** `spec.config.kubelet`; empty for the file as a whole. */
  readonly path: string
}

/** Whether a name is so short that similar names are too many for a suggestion. */
const isShort = (name: string): boolean => name.length <= 6

const lastName = (path: string): string => path.slice(path.lastIndexOf(".") + 1)

/** No field of a component's configuration is nested deeper; an object at this depth counts as a value. */
const MAX_DEPTH = 16

/** Lists the values of an object with their paths, in all nested objects. */
const leaves = (value: unknown, path: string, depth = 0): ReadonlyArray<readonly [string, unknown]> =>
  Predicate.isReadonlyObject(value) && depth < MAX_DEPTH
    ? Object.entries(value).flatMap(([key, inner]) => leaves(inner, path === "" ? key : `${path}.${key}`, depth + 1))
    : [[path, value]]

/**
 * Returns the path that an unknown path probably stands for: that of a field with the same name elsewhere, or the most
 * similar one; undefined if there is none.
 */
const intendedPath = (path: string, paths: ReadonlyArray<string>): string | undefined => {
  const last = lastName(path)
  const misplaced = paths.find((other) => lastName(other) === last)
  if (misplaced !== undefined) return misplaced
  const near = isShort(last) ? undefined : nearest(last, paths.map(lastName))
  return near === undefined ? undefined : (nearest(path, paths) ?? paths.find((other) => lastName(other) === near))
}

class SettingsCollector<Table extends SettingsTable> {
  readonly #values: Record<string, unknown> = {}
  readonly #problems: Array<Problem> = []
  readonly #file: string

  constructor(file: string) {
    this.#file = file
  }

  addProblem(path: string, wrong: Wrong): void {
    this.#problems.push(problemAt(this.#file, path, wrong))
  }

  decode(key: string, { type }: Setting<unknown>, raw: unknown, path: string): void {
    const value = Schema.decodeUnknownResult(type.schema)(raw)
    if (Result.isSuccess(value)) this.#values[key] = value.success
    else this.addProblem(path, wrongValue(raw, type.expected))
  }

  result(): Result.Result<Given<Table>, InvalidInput> {
    return this.#problems.length === 0
      ? Result.succeed(this.#values as Given<Table>)
      : Result.fail(new InvalidInput({ problems: this.#problems }))
  }
}

/**
 * Reads the settings of a table from a component's configuration object. A field that is misspelt or in the wrong place
 * is a problem; for any other unknown field this adds a warning to `warnings`.
 */
export const readConfig = <Table extends SettingsTable>(
  table: Table,
  { file, path: base }: Place,
  config: unknown,
  warnings: Array<string>
): Result.Result<Given<Table>, InvalidInput> => {
  const collected = new SettingsCollector<Table>(file)
  const byPath = new Map(
    Object.entries(table).flatMap(([key, setting]) => (setting.path === undefined ? [] : [[setting.path, key]]))
  )
  const paths = [...byPath.keys()]
  for (const [path, raw] of leaves(config, "")) {
    if (path === "apiVersion" || path === "kind" || (path === "" && (raw === undefined || raw === null))) continue
    const where = base === "" || path === "" ? base + path : `${base}.${path}`
    const key = byPath.get(path)
    const setting = key === undefined ? undefined : table[key]
    if (key !== undefined && setting !== undefined) {
      collected.decode(key, setting, raw, where)
      continue
    }
    const intended = intendedPath(path, paths)
    if (path === "") collected.addProblem(where, wrongValue(raw, "an object"))
    else if (intended !== undefined) collected.addProblem(where, misplacedField(path, intended))
    else warnings.push(`${file}: ${where} is not supported and has no effect`)
  }
  return collected.result()
}

/**
 * Returns the values, for example of a file, without the settings whose flags are among `flags`, which override them.
 */
export const withoutFlags = <Table extends SettingsTable>(
  table: Table,
  given: Given<Table>,
  flags: ReadonlySet<string>
): Given<Table> =>
  Object.fromEntries(
    Object.entries(table).flatMap(([key, { flag = "" }]) =>
      given[key] === undefined || flags.has(flag) ? [] : [[key, given[key]]]
    )
  ) as Given<Table>

/**
 * Returns the values of a command line's flags by the settings' keys; a flag that was not given is undefined, and left
 * out.
 */
export const settingsOfFlags = <Table extends SettingsTable>(
  table: Table,
  values: Readonly<Record<string, unknown>>
): Given<Table> =>
  Object.fromEntries(
    Object.entries(table).flatMap(([key, { flag }]) => {
      const value = flag === undefined ? undefined : values[flag]
      return value === undefined ? [] : [[key, value]]
    })
  ) as Given<Table>
