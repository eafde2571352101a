import { parseDuration } from "@rollcall/api"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import { didYouMean, type InvalidInput, invalid, nearest, show } from "./Problem.ts"

/** Settings by name: milliseconds for durations, numbers, booleans and texts as they are. */
export type SettingValues = Readonly<Record<string, number | boolean | string>>

export type SettingType = "duration" | "number" | "integer" | "boolean" | "text"

/** One setting of a component: its flag and its place in the component's configuration file. */
export interface Setting {
  /** The name under which the rest of the simulator knows it. */
  readonly key: string
  readonly flag?: string
  readonly path?: string
  readonly type: SettingType
  /** For numbers: the least and the most that make sense. */
  readonly least?: number
  readonly most?: number
}

/** What a setting takes, in words. */
const expectedOf = ({ least, most, type }: Setting): string =>
  least === undefined
    ? expected[type]
    : most === undefined
      ? `${expected[type]} of at least ${least}`
      : `${expected[type]} from ${least} to ${most}`

const inRange = (
  { least = Number.NEGATIVE_INFINITY, most = Number.POSITIVE_INFINITY }: Setting,
  value: unknown
): boolean => typeof value !== "number" || (value >= least && value <= most)

export const expected: Readonly<Record<SettingType, string>> = {
  duration: "a duration such as 40s or 5m",
  number: "a number",
  integer: "a whole number",
  boolean: "true or false",
  text: "a text"
}

const parseFlagText = (type: SettingType, text: string): number | boolean | string | undefined => {
  switch (type) {
    case "number":
    case "integer":
      return text.trim() === "" ? undefined : Number(text)
    case "boolean":
      return text === "" || text === "true" ? true : text === "false" ? false : undefined
    case "duration":
    case "text":
      return text
  }
}

/** The value as the type has it; undefined where it is none. */
export const accept = (type: SettingType, raw: unknown): number | boolean | string | undefined => {
  const value = type === "duration" && (typeof raw === "string" || typeof raw === "number") ? parseDuration(raw) : raw
  switch (type) {
    case "duration":
    case "number":
      return typeof value === "number" && Number.isFinite(value) ? value : undefined
    case "integer":
      return Number.isInteger(value) ? (value as number) : undefined
    case "boolean":
      return typeof value === "boolean" ? value : undefined
    case "text":
      return typeof value === "string" ? value : undefined
  }
}

const leaves = (value: unknown, path: string): ReadonlyArray<readonly [string, unknown]> =>
  Predicate.isReadonlyObject(value)
    ? Object.entries(value).flatMap(([key, inner]) => leaves(inner, path === "" ? key : `${path}.${key}`))
    : [[path, value]]

/** The field that was meant: of the same name in its proper place, or else the nearest one. */
const suggestedPath = (path: string, paths: ReadonlyArray<string>): string => {
  const whole = paths.find((other) => other.endsWith(`.${path}`))
  return whole === undefined ? didYouMean(path, paths) : `; did you mean "${whole}"?`
}

/**
 * Reads a component's configuration object. A name that is nearly one of ours is refused; any other that is not supported is
 * named in a warning.
 */
export const readConfig = (
  settings: ReadonlyArray<Setting>,
  file: string,
  base: string,
  config: unknown,
  warnings: Array<string>
): Result.Result<SettingValues, InvalidInput> => {
  const values: Record<string, number | boolean | string> = {}
  const paths = settings.flatMap((setting) => setting.path ?? [])
  for (const [path, raw] of leaves(config, "")) {
    if (path === "" || path === "apiVersion" || path === "kind") continue
    const where = base === "" ? path : `${base}.${path}`
    const setting = settings.find((candidate) => candidate.path === path)
    if (setting === undefined) {
      const last = path.split(".").at(-1) ?? path
      const known = paths.map((other) => other.split(".").at(-1) ?? other)
      const misplaced = known.includes(last) && path === last
      if (misplaced || (!known.includes(last) && nearest(last, known) !== undefined && last.length > 6)) {
        return Result.fail(invalid(file, where, `unknown field${suggestedPath(path, paths)}`))
      }
      warnings.push(`${file}: ${where} is not supported and has no effect`)
      continue
    }
    const value = accept(setting.type, raw)
    if (value === undefined || !inRange(setting, value)) {
      return Result.fail(invalid(file, where, `found ${show(raw)}, expected ${expectedOf(setting)}`))
    }
    values[setting.key] = value
  }
  return Result.succeed(values)
}

/** Reads command-line flags (`--name=value`) of a component; as strict as `readConfig`. */
export const readFlags = (
  settings: ReadonlyArray<Setting>,
  file: string,
  base: string,
  flags: ReadonlyArray<string>,
  warnings: Array<string>
): Result.Result<SettingValues, InvalidInput> => {
  const values: Record<string, number | boolean | string> = {}
  const names = settings.flatMap((setting) => setting.flag ?? [])
  for (const [index, text] of flags.entries()) {
    const match = /^--([^=]+)(?:=(.*))?$/.exec(text)
    const where = `${base}[${index}]`
    if (match === null) return Result.fail(invalid(file, where, `found ${show(text)}, expected --name=value`))
    const name = match[1] ?? ""
    const setting = settings.find((candidate) => candidate.flag === name)
    if (setting === undefined) {
      if (nearest(name, names) !== undefined) {
        return Result.fail(invalid(file, where, `unknown flag --${name}${didYouMean(name, names)}`))
      }
      warnings.push(`${file}: ${where}: --${name} is not supported and has no effect`)
      continue
    }
    const value = accept(setting.type, parseFlagText(setting.type, match[2] ?? ""))
    if (value === undefined || !inRange(setting, value)) {
      return Result.fail(
        invalid(file, where, `--${name}: found ${show(match[2] ?? "")}, expected ${expectedOf(setting)}`)
      )
    }
    values[setting.key] = value
  }
  return Result.succeed(values)
}
