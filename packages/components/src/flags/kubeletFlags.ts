import { formatDuration, parseDuration } from "@rollcall/api"
import { type Flag, flag, optional, readBool, readDuration, readFloat, readInt } from "@rollcall/flags"
import {
  earlierFlags,
  type FlagRefusal,
  flagType,
  type KubeletFlag,
  kubeletFlags,
  removedFlags
} from "@rollcall/kubelet"
import * as Result from "effect/Result"

/** Defaults of durations are in the table as people write them, and in usage texts as Go does. */
const shownOf = (placeholder: string | undefined, initial: string): string =>
  placeholder === "duration" ? formatDuration(parseDuration(initial)) : initial

/** How Go reads texts of these types. */
const readers: Readonly<Partial<Record<KubeletFlag["type"], (text: string) => Result.Result<unknown, string>>>> = {
  boolean: readBool,
  int32: (text) => readInt(text, 32),
  int64: readInt,
  number: readFloat,
  duration: readDuration
}

/** Why a text is no value, in Go's words where it is a plain one. */
const reasonOf = (type: KubeletFlag["type"], text: string, refusal: FlagRefusal): string => {
  if ("message" in refusal) return refusal.message
  const read = readers[type]?.(text)
  return read !== undefined && Result.isFailure(read) ? read.failure : "invalid value"
}

/** A flag that is not given is undefined. */
const ofKubelet = (known: KubeletFlag): Flag<unknown> => {
  const type = flagType(known)
  return {
    initial: undefined,
    read: (text, previous) =>
      Result.mapError(type.read(text, previous), (refusal) => reasonOf(known.type, text, refusal)),
    help: known.help,
    shown: known.initial === undefined ? "" : shownOf(type.placeholder, known.initial),
    ...(readers[known.type] === undefined ? {} : { expected: type.expected }),
    ...(type.placeholder === undefined ? {} : { placeholder: type.placeholder }),
    ...(type.bare === undefined ? {} : { bare: type.bare }),
    ...(known.honoured ? {} : { inert: true })
  }
}

/** Flags of earlier releases: whether one is still a flag depends on the release that is emulated. */
const removed = (isSwitch: boolean): Flag<string | undefined> =>
  optional(flag.text("", "", { hidden: true, ...(isSwitch ? { bare: "true" } : {}) }))

/** Every flag of kubelet that is a matter of its own: those of all components are in common.ts. */
export const allKubeletFlags: Readonly<Record<string, Flag<unknown>>> = Object.fromEntries([
  ...removedFlags.map(({ isSwitch, name }) => [name, removed(isSwitch === true)]),
  ...kubeletFlags.map((known) => [known.name, ofKubelet(known)]),
  ...earlierFlags.map((known) => [known.name, { ...ofKubelet(known), hidden: true }])
])
