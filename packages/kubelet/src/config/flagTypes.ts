import type { Taint } from "@rollcall/api"
import { parseIP } from "@rollcall/api/validation"
import { type Flag, flag, readBool, readDuration } from "@rollcall/flags"
import * as Result from "effect/Result"
import { parseNodeLabels } from "./nodeLabels.ts"
import { quoted } from "./quoted.ts"
import { parseRegisterTaints } from "./registerTaints.ts"
import { type MemoryReservation, parseReservedMemory } from "./reservedMemory.ts"

type TextMap = Readonly<Record<string, string>>

/** How the text of a flag is read, as a value of the configuration field that the flag sets. */
export type FlagType<A> = Pick<Flag<A>, "bare" | "expected" | "format" | "placeholder" | "read">

/** A type whose errors are upstream's. */
const own = <A>(placeholder: string, read: Flag<A>["read"]): FlagType<A> => ({ placeholder, read })

/** The type of one of pflag's flags. */
const typeOf = <A>({ bare, expected, format, placeholder, read }: Flag<A>): FlagType<A> => ({
  read,
  ...(bare === undefined ? {} : { bare }),
  ...(expected === undefined ? {} : { expected }),
  ...(format === undefined ? {} : { format }),
  ...(placeholder === undefined ? {} : { placeholder })
})

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
    const on = readBool(value)
    if (Result.isFailure(on)) return Result.fail(`invalid value of ${name}: ${value}, err: ${on.failure}`)
    found[name] = on.success
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

/** A duration stays text, because the configuration field that it sets is text. */
const duration: FlagType<string> = {
  placeholder: "duration",
  expected: "a duration such as 40s or 5m",
  read: (text) => Result.map(readDuration(text), () => text)
}

/** The types of the kubelet's flags. Upstream: spf13/pflag, component-base/cli/flag, pkg/util/flag. */
export const flagTypes = {
  text: typeOf(flag.text("", "")),
  boolean: typeOf(flag.boolean(false, "")),
  int32: typeOf(flag.integer(0, "", { bits: 32 })),
  int64: typeOf(flag.integer(0, "")),
  number: typeOf(flag.number(0, "")),
  duration,
  ip: own<string>("ip", (text) =>
    text === "" || parseIP(text) !== undefined
      ? Result.succeed(text)
      : Result.fail(`${quoted(text)} is not a valid IP address`)
  ),
  texts: typeOf(flag.texts("")),
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
