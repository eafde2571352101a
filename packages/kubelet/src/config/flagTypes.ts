import { parseDuration, type Taint } from "@rollcall/api"
import { parseIP } from "@rollcall/api/validation"
import { parseSwitch } from "@rollcall/input"
import * as Result from "effect/Result"
import { parseNodeLabels } from "./nodeLabels.ts"
import { quoted } from "./quoted.ts"
import { parseRegisterTaints } from "./registerTaints.ts"
import { type MemoryReservation, parseReservedMemory } from "./reservedMemory.ts"

type TextMap = Readonly<Record<string, string>>

/** Why a text is no value of a flag: what was expected, or upstream's own words. */
export type FlagRefusal = { readonly expected: string } | { readonly message: string }

/** How a flag's text is read, as a value of the configuration field it stands for. */
export interface FlagType<A> {
  /** The name of the value in usage texts; switches have none. */
  readonly placeholder: string | undefined
  readonly expected: string
  /** What a flag without a text stands for. */
  readonly bare?: string
  /** Adds a text to what earlier ones of the same command line came to; undefined for the first. */
  readonly read: (text: string, previous: A | undefined) => Result.Result<A, FlagRefusal>
}

const one = <A>(
  placeholder: string | undefined,
  expected: string,
  parse: (text: string) => A | undefined
): FlagType<A> => ({
  placeholder,
  expected,
  read: (text) => {
    const value = parse(text)
    return value === undefined ? Result.fail({ expected }) : Result.succeed(value)
  }
})

/** One whose refusals are upstream's. */
const own = <A>(
  placeholder: string,
  parse: (text: string, previous: A | undefined) => Result.Result<A, string>
): FlagType<A> => ({
  placeholder,
  expected: placeholder,
  read: (text, previous) => Result.mapError(parse(text, previous), (message) => ({ message }))
})

const WHOLE = /^[-+]?(0[xX][0-9a-fA-F]+|0[oO]?[0-7]*|0[bB][01]+|[1-9]\d*)$/

/** Upstream: Go's strconv.ParseInt with base 0, which also reads `0x1f`, and `017` as octal. */
const whole = (text: string, bits: 32 | 64): number | undefined => {
  if (!WHOLE.test(text)) return undefined
  const digits = text.replace(/^[-+]/, "")
  const value = Number(/^0\d/.test(digits) ? `0o${digits.slice(1)}` : digits)
  const signed = text.startsWith("-") ? 0 - value : value
  return signed >= -(2 ** (bits - 1)) && signed < 2 ** (bits - 1) ? signed : undefined
}

/** Pairs at commas, each side trimmed; a flag that is repeated adds. Upstream: component-base/cli/flag/map_string_string.go. */
const pairs = (text: string, between: string, previous: TextMap | undefined): Result.Result<TextMap, string> => {
  const found: Record<string, string> = { ...previous }
  for (const part of text.split(",")) {
    if (part === "") continue
    const at = part.indexOf(between)
    if (at < 0) return Result.fail(`malformed pair, expect string${between}string`)
    found[part.slice(0, at).trim()] = part.slice(at + 1).trim()
  }
  return Result.succeed(found)
}

const onePair = (text: string, previous: TextMap | undefined): Result.Result<TextMap, string> => {
  const at = text.indexOf("=")
  if (at < 0) return Result.fail("malformed pair, expect string=string")
  return Result.succeed({ ...previous, [text.slice(0, at).trim()]: text.slice(at + 1).trim() })
}

const gates = (
  text: string,
  previous: Readonly<Record<string, boolean>> | undefined
): Result.Result<Readonly<Record<string, boolean>>, string> => {
  const found: Record<string, boolean> = { ...previous }
  for (const part of text.split(",")) {
    if (part === "") continue
    const at = part.indexOf("=")
    if (at < 0) return Result.fail("malformed pair, expect string=bool")
    const name = part.slice(0, at).trim()
    const value = part.slice(at + 1).trim()
    const on = parseSwitch(value)
    if (on === undefined) {
      const why = `strconv.ParseBool: parsing ${quoted(value)}: invalid syntax`
      return Result.fail(`invalid value of ${name}: ${value}, err: ${why}`)
    }
    found[name] = on
  }
  return Result.succeed(found)
}

const headers = (
  text: string,
  previous: Readonly<Record<string, ReadonlyArray<string>>> | undefined
): Result.Result<Readonly<Record<string, ReadonlyArray<string>>>, string> => {
  const found: Record<string, ReadonlyArray<string>> = { ...previous }
  for (const part of text.split(",")) {
    if (part === "") continue
    const at = part.indexOf(":")
    if (at < 0) return Result.fail("malformed pair, expect string:string")
    const name = part.slice(0, at).trim()
    found[name] = [...(found[name] ?? []), part.slice(at + 1).trim()]
  }
  return Result.succeed(found)
}

const duration = (text: string): string | undefined => (Number.isNaN(parseDuration(text)) ? undefined : text)

/** The types of the kubelet's flags. Upstream: spf13/pflag, component-base/cli/flag, pkg/util/flag. */
export const flagTypes = {
  text: one<string>("string", "a text", (text) => text),
  boolean: { ...one<boolean>(undefined, "true or false", parseSwitch), bare: "true" },
  int32: one<number>("int32", "a whole number of at most 32 bits", (text) => whole(text, 32)),
  int64: one<number>("int", "a whole number", (text) => whole(text, 64)),
  number: one<number>("float", "a number", (text) =>
    text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : undefined
  ),
  duration: one<string>("duration", "a duration such as 40s or 5m", duration),
  ip: own<string>("ip", (text) =>
    text === "" || parseIP(text) !== undefined
      ? Result.succeed(text)
      : Result.fail(`${quoted(text)} is not a valid IP address`)
  ),
  texts: {
    placeholder: "strings",
    expected: "texts separated by commas",
    read: (text: string, previous: ReadonlyArray<string> | undefined) =>
      Result.succeed([...(previous ?? []), ...(text === "" ? [] : text.split(","))])
  } satisfies FlagType<ReadonlyArray<string>>,
  pairs: own<TextMap>("key=value,…", (text, previous) => pairs(text, "=", previous)),
  pair: own<TextMap>("key=value", onePair),
  thresholds: own<TextMap>("signal<quantity,…", (text, previous) => pairs(text, "<", previous)),
  gates: own<Readonly<Record<string, boolean>>>("gate=true|false,…", gates),
  headers: own<Readonly<Record<string, ReadonlyArray<string>>>>("name:value,…", headers),
  taints: own<ReadonlyArray<Taint>>("key=value:effect,…", parseRegisterTaints),
  labels: own<TextMap>("key=value,…", (text, previous) => parseNodeLabels(text, previous ?? {})),
  reservedMemory: own<ReadonlyArray<MemoryReservation>>("node:memory=quantity,…", (text, previous = []) =>
    text === "" ? Result.succeed([]) : Result.map(parseReservedMemory(text), (one) => [...previous, one])
  )
} as const

export type FlagTypeName = keyof typeof flagTypes
