import type { Taint } from "@rollcall/api"
import { parseIP } from "@rollcall/api/validation"
import { type Flag, flag, readBool, readDuration } from "@rollcall/flags"
import * as Result from "effect/Result"
import { goQuote } from "./goQuote.ts"
import { parseNodeLabels } from "./nodeLabels.ts"
import { parseRegisterTaints } from "./registerTaints.ts"
import { type MemoryReservation, parseReservedMemory } from "./reservedMemory.ts"

type TextMap = Readonly<Record<string, string>>

/** How a flag's text is converted to a value of the configuration field that the flag sets. */
export type FlagType<A> = Pick<Flag<A>, "bare" | "expected" | "format" | "placeholder" | "read">

/** Returns a flag type that Kubernetes defines itself. `read` fails with upstream's messages. */
const kubernetesType = <A>(placeholder: string, read: Flag<A>["read"]): FlagType<A> => ({ placeholder, read })

/** Returns the type of a flag that pflag defines. */
const pflagType = <A>({ bare, expected, format, placeholder, read }: Flag<A>): FlagType<A> => ({
  read,
  ...(bare === undefined ? {} : { bare }),
  ...(expected === undefined ? {} : { expected }),
  ...(format === undefined ? {} : { format }),
  ...(placeholder === undefined ? {} : { placeholder })
})

/**
 * Reads pairs that are separated by commas, and trims both sides of each. A repeated flag adds to the previous pairs.
 * Upstream: component-base/cli/flag/map_string_string.go.
 */
const readPairs = (text: string, separator: string, previous: TextMap | undefined): Result.Result<TextMap, string> => {
  const found: Record<string, string> = { ...previous }
  for (const part of text.split(",")) {
    if (part === "") continue
    const at = part.indexOf(separator)
    if (at < 0) return Result.fail(`malformed pair, expect string${separator}string`)
    found[part.slice(0, at).trim()] = part.slice(at + 1).trim()
  }
  return Result.succeed(found)
}

/** Reads one pair: a comma belongs to the value. A repeated flag adds to the previous pairs. */
const readPair = (text: string, previous: TextMap | undefined): Result.Result<TextMap, string> => {
  const at = text.indexOf("=")
  if (at < 0) return Result.fail("malformed pair, expect string=string")
  return Result.succeed({ ...previous, [text.slice(0, at).trim()]: text.slice(at + 1).trim() })
}

const readGates = (
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

const readHeaders = (
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
  text: pflagType(flag.text("", "")),
  boolean: pflagType(flag.boolean(false, "")),
  int32: pflagType(flag.integer(0, "", { bits: 32 })),
  int64: pflagType(flag.integer(0, "")),
  number: pflagType(flag.number(0, "")),
  duration,
  ip: kubernetesType<string>("ip", (text) =>
    text === "" || parseIP(text) !== undefined
      ? Result.succeed(text)
      : Result.fail(`${goQuote(text)} is not a valid IP address`)
  ),
  texts: pflagType(flag.texts("")),
  pairs: kubernetesType<TextMap>("key=value,…", (text, previous) => readPairs(text, "=", previous)),
  pair: kubernetesType<TextMap>("key=value", readPair),
  thresholds: kubernetesType<TextMap>("signal<quantity,…", (text, previous) => readPairs(text, "<", previous)),
  gates: kubernetesType<Readonly<Record<string, boolean>>>("gate=true|false,…", readGates),
  headers: kubernetesType<Readonly<Record<string, ReadonlyArray<string>>>>("name:value,…", readHeaders),
  taints: kubernetesType<ReadonlyArray<Taint>>("key=value:effect,…", parseRegisterTaints),
  labels: kubernetesType<TextMap>("key=value,…", (text, previous) => parseNodeLabels(text, previous ?? {})),
  reservedMemory: kubernetesType<ReadonlyArray<MemoryReservation>>("node:memory=quantity,…", (text, previous = []) =>
    text === "" ? Result.succeed([]) : Result.map(parseReservedMemory(text), (one) => [...previous, one])
  )
} as const

export type FlagTypeName = keyof typeof flagTypes
