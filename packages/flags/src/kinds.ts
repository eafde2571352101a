import { formatDuration, nearest } from "@rollcall/api/text"
import * as Result from "effect/Result"
import { readCsv, writeCsv } from "./csv.ts"
import type { Flag, FlagOptions } from "./Flag.ts"
import { quoted, readBool, readDuration, readFloat, readInt } from "./goNumbers.ts"

/** The bounds of a number, inclusive. */
interface Range {
  readonly least?: number
  readonly most?: number
}

interface NumberOptions extends FlagOptions, Range {
  readonly bits?: 32 | 64
}

const rangeText = ({ least, most }: Range): string => {
  if (least !== undefined && most !== undefined) return ` from ${least} to ${most}`
  if (least !== undefined) return ` of at least ${least}`
  return most === undefined ? "" : ` of at most ${most}`
}

const withinRange =
  ({ least = Number.NEGATIVE_INFINITY, most = Number.POSITIVE_INFINITY }: Range) =>
  (value: number): Result.Result<number, string> =>
    value >= least && value <= most ? Result.succeed(value) : Result.fail("value out of range")

const text = (initial: string, help: string, options: FlagOptions = {}): Flag<string> => ({
  initial,
  help,
  placeholder: "string",
  expected: "a text",
  read: Result.succeed,
  format: (value) => [value],
  ...options
})

/** A whole number. Upstream: pflag's Int, Int32. */
const integer = (
  initial: number,
  help: string,
  { bits = 64, least, most, ...options }: NumberOptions = {}
): Flag<number> => {
  const range = { ...(least === undefined ? {} : { least }), ...(most === undefined ? {} : { most }) }
  return {
    initial,
    help,
    placeholder: bits === 32 ? "int32" : "int",
    expected: `a whole number${rangeText(range) || (bits === 32 ? " of at most 32 bits" : "")}`,
    read: (given) => Result.flatMap(readInt(given, bits), withinRange(range)),
    format: (value) => [String(value)],
    ...options
  }
}

/** Upstream: pflag's Float64. */
const number = (initial: number, help: string, { least, most, ...options }: FlagOptions & Range = {}): Flag<number> => {
  const range = { ...(least === undefined ? {} : { least }), ...(most === undefined ? {} : { most }) }
  return {
    initial,
    help,
    placeholder: "float",
    expected: `a number${rangeText(range)}`,
    read: (given) => Result.flatMap(readFloat(given), withinRange(range)),
    format: (value) => [String(value)],
    ...options
  }
}

/** Milliseconds, written as Go writes durations. */
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
    const near = nearest(given, choices)
    const advice = near === undefined ? "" : `; did you mean ${quoted(near)}?`
    return Result.fail(`${choices.length === 1 ? "must be" : "must be one of"} ${choices.join(", ")}${advice}`)
  },
  format: (value) => [value],
  ...options
})

/** Texts separated by commas; repeatable. The first occurrence replaces the default. Upstream: pflag's StringSlice. */
const texts = (help: string, options: FlagOptions = {}): Flag<ReadonlyArray<string>> => ({
  initial: [],
  help,
  placeholder: "strings",
  expected: "texts separated by commas",
  read: (given, previous = []) => Result.map(readCsv(given), (read) => [...previous, ...read]),
  format: (value) => [writeCsv(value)],
  ...options
})

/** One text for each occurrence; repeatable. Upstream: pflag's StringArray. */
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

/** Upstream: component-base/cli/flag/map_string_string.go. */
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
