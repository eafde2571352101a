import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { InvalidInput, nearest, type Problem, problemAt, type Wrong } from "../Problem.ts"
import { misplacedField, wrongValue } from "../wrong.ts"
import type { Given, Setting, SettingsTable } from "./Setting.ts"

/** Where something stands: a file, and the path in it. */
export interface Place {
  readonly file: string
  /** `spec.config.kubelet`; empty for the file as a whole. */
  readonly path: string
}

const isShort = (name: string): boolean => name.length <= 6

const lastOf = (path: string): string => path.slice(path.lastIndexOf(".") + 1)

/** Deeper than any field of a component's configuration. */
const DEEPEST = 16

const leaves = (value: unknown, path: string, depth = 0): ReadonlyArray<readonly [string, unknown]> =>
  Predicate.isReadonlyObject(value) && depth < DEEPEST
    ? Object.entries(value).flatMap(([key, inner]) => leaves(inner, path === "" ? key : `${path}.${key}`, depth + 1))
    : [[path, value]]

/** What is meant by a name that is none: the field of that name in its proper place, or else the nearest. None: it is no slip. */
const meant = (path: string, paths: ReadonlyArray<string>): string | undefined => {
  const last = lastOf(path)
  const misplaced = paths.find((other) => lastOf(other) === last)
  if (misplaced !== undefined) return misplaced
  const near = isShort(last) ? undefined : nearest(last, paths.map(lastOf))
  return near === undefined ? undefined : (nearest(path, paths) ?? paths.find((other) => lastOf(other) === near))
}

class Collected<Table extends SettingsTable> {
  readonly #values: Record<string, unknown> = {}
  readonly #problems: Array<Problem> = []
  readonly #file: string

  constructor(file: string) {
    this.#file = file
  }

  refuse(path: string, wrong: Wrong): void {
    this.#problems.push(problemAt(this.#file, path, wrong))
  }

  take(key: string, { type }: Setting<unknown>, raw: unknown, path: string): void {
    const value = Schema.decodeUnknownResult(type.schema)(raw)
    if (Result.isSuccess(value)) this.#values[key] = value.success
    else this.refuse(path, wrongValue(raw, type.expected))
  }

  result(): Result.Result<Given<Table>, InvalidInput> {
    return this.#problems.length === 0
      ? Result.succeed(this.#values as Given<Table>)
      : Result.fail(new InvalidInput({ problems: this.#problems }))
  }
}

/**
 * Reads a component's configuration object. A name that is nearly one of the table's, or stands in the wrong place, is a problem;
 * any other that is not supported is named in a warning.
 */
export const readConfig = <Table extends SettingsTable>(
  table: Table,
  { file, path: base }: Place,
  config: unknown,
  warnings: Array<string>
): Result.Result<Given<Table>, InvalidInput> => {
  const collected = new Collected<Table>(file)
  const byPath = new Map(
    Object.entries(table).flatMap(([key, one]) => (one.path === undefined ? [] : [[one.path, key]]))
  )
  const paths = [...byPath.keys()]
  for (const [path, raw] of leaves(config, "")) {
    if (path === "apiVersion" || path === "kind" || (path === "" && (raw === undefined || raw === null))) continue
    const where = base === "" || path === "" ? base + path : `${base}.${path}`
    const key = byPath.get(path)
    const one = key === undefined ? undefined : table[key]
    if (key !== undefined && one !== undefined) {
      collected.take(key, one, raw, where)
      continue
    }
    const other = meant(path, paths)
    if (path === "") collected.refuse(where, wrongValue(raw, "an object"))
    else if (other !== undefined) collected.refuse(where, misplacedField(path, other))
    else warnings.push(`${file}: ${where} is not supported and has no effect`)
  }
  return collected.result()
}

/** What is set by other means than flags: without the settings whose flags are among those given. */
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

/** What the flags of a command line say, by the settings' keys; flags that were not given are undefined, and say nothing. */
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
