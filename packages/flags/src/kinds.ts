import { formatDuration, nearest } from "@rollcall/api/text"
import * as Result from "effect/Result"
import { readCsv, writeCsv } from "./csv.ts"
import type { Flag, FlagOptions } from "./Flag.ts"
import { quoted, readBool, readDuration, readFloat, readInt } from "./goNumbers.ts"

/** The bounds of a number, inclusive. */
interface Bounds {
  readonly min?: number
  readonly max?: number
}

interface NumberOptions extends FlagOptions, Bounds {
  readonly bits?: 32 | 64
}

const boundsText = ({ min, max }: Bounds): string => {
  if (min !== undefined && max !== undefined) return ` from ${min} to ${max}`
  if (min !== undefined) return ` of at least ${min}`
  return max === undefined ? "" : ` of at most ${max}`
}

const checkBounds =
  ({ min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY }: Bounds) =>
  (value: number): Result.Result<number, string> =>
    value >= min && value <= max ? Result.succeed(value) : Result.fail("value out of range")

const text = (initial: string, help: string, options: FlagOptions = {}): Flag<string> => ({
  initial,
  help,
  placeholder: "string",
  expected: "a text",
  read: Result.succeed,
  format: (value) => [value],
  ...options
})

/** Makes a flag for a whole number. Upstream: pflag's Int, Int32. */
const integer = (
  initial: number,
  help: string,
  { bits = 64, min, max, ...options }: NumberOptions = {}
): Flag<number> => {
  const bounds = { ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) }
  return {
    initial,
    help,
    placeholder: bits === 32 ? "int32" : "int",
    expected: `a whole number${boundsText(bounds) || (bits === 32 ? " of at most 32 bits" : "")}`,
    read: (given) => Result.flatMap(readInt(given, bits), checkBounds(bounds)),
    format: (value) => [String(value)],
    ...options
  }
}

/** Makes a flag for a number. Upstream: pflag's Float64. */
const number = (initial: number, help: string, { min, max, ...options }: FlagOptions & Bounds = {}): Flag<number> => {
  const bounds = { ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) }
  return {
    initial,
    help,
    placeholder: "float",
    expected: `a number${boundsText(bounds)}`,
    read: (given) => Result.flatMap(readFloat(given), checkBounds(bounds)),
    format: (value) => [String(value)],
    ...options
  }
}

/** Makes a flag for a Go duration such as `1m30s`; its value is in milliseconds. */
const duration = (initial: number, help: string, options: FlagOptions = {}): Flag<number> => ({
  initial,
  help,
  placeholder: "duration",
  expected: "a duration such as 40s or 5m",
  read: readDuration,
  format: (value) => [formatDuration(value)],
  ...options
})

const boolean = (initial: boolean, help: string, options: FlagOptions = {}): Flag<boolean> => ({
  initial,
  help,
  bare: "true",
  expected: "true or false",
  read: readBool,
  format: (value) => [String(value)],
  ...options
})

const oneOf = <const A extends string>(
  choices: ReadonlyArray<A>,
  initial: A,
  help: string,
  options: FlagOptions = {}
): Flag<A> => ({
  initial,
  help,
  placeholder: "string",
  choices,
  read: (given) => {
    const found = choices.find((choice) => choice === given)
    if (found !== undefined) return Result.succeed(found)
    const suggestion = nearest(given, choices)
    const advice = suggestion === undefined ? "" : `; did you mean ${quoted(suggestion)}?`
    return Result.fail(`${choices.length === 1 ? "must be" : "must be one of"} ${choices.join(", ")}${advice}`)
  },
  format: (value) => [value],
  ...options
})

/**
 * Makes a repeatable flag for texts separated by commas. The first occurrence replaces the default. Upstream: pflag's
 * StringSlice.
 */
const texts = (help: string, options: FlagOptions = {}): Flag<ReadonlyArray<string>> => ({
  initial: [],
  help,
  placeholder: "strings",
  expected: "texts separated by commas",
  read: (given, previous = []) => Result.map(readCsv(given), (read) => [...previous, ...read]),
  format: (value) => [writeCsv(value)],
  ...options
})

/** Makes a repeatable flag with one text for each occurrence. Upstream: pflag's StringArray. */
const repeated = (help: string, options: FlagOptions = {}): Flag<ReadonlyArray<string>> => ({
  initial: [],
  help,
  placeholder: "stringArray",
  expected: "a text",
  read: (given, previous = []) => Result.succeed([...previous, given]),
  format: (value) => value,
  ...options
})

type Pairs = Readonly<Record<string, string>>

/** Parses `key=value` pairs separated by commas. Upstream: component-base/cli/flag/map_string_string.go. */
const readPairs = (given: string, previous: Pairs = {}): Result.Result<Pairs, string> => {
  const found = new Map(Object.entries(previous))
  for (const part of given.split(",")) {
    if (part === "") continue
    const at = part.indexOf("=")
    if (at < 1) return Result.fail("malformed pair, expect string=string")
    found.set(part.slice(0, at).trim(), part.slice(at + 1).trim())
  }
  return Result.succeed(Object.fromEntries(found))
}

const pairs = (help: string, options: FlagOptions = {}): Flag<Pairs> => ({
  initial: {},
  help,
  placeholder: "mapStringString",
  expected: "key=value pairs separated by commas",
  read: readPairs,
  format: (value) => [
    Object.entries(value)
      .map(([key, part]) => `${key}=${part}`)
      .join(",")
  ],
  ...options
})

/** The types of flags of Kubernetes' components and of kubectl. Upstream: github.com/spf13/pflag. */
export const flag = { boolean, duration, integer, number, oneOf, pairs, repeated, text, texts } as const
