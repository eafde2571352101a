import { formatDuration, parseDuration } from "@rollcall/api"
import { earlierFlags, flagType, type KubeletFlag, kubeletFlags, refusalText, removedFlags } from "@rollcall/kubelet"
import * as Result from "effect/Result"
import type { Flag } from "./Flag.ts"

/** Defaults of durations are in the table as people write them, and in usage texts as Go does. */
const shownOf = (placeholder: string | undefined, initial: string): string =>
  placeholder === "duration" ? formatDuration(parseDuration(initial)) : initial

/** A flag that nobody gave is undefined. */
const ofKubelet = (known: KubeletFlag): Flag<unknown> => {
  const type = flagType(known)
  return {
    initial: undefined,
    read: (text, previous) => Result.getOrUndefined(type.read(text, previous)),
    refusal: (text, previous) => {
      const read = type.read(text, previous)
      return Result.isFailure(read) ? refusalText(text, read.failure) : ""
    },
    expected: type.expected,
    help: known.help,
    placeholder: type.placeholder,
    ...(type.bare === undefined ? {} : { bare: type.bare }),
    ...(known.initial === undefined ? {} : { shown: shownOf(type.placeholder, known.initial) }),
    ...(known.honoured ? {} : { inert: true })
  }
}

/** Flags of earlier releases: whether one is still a flag depends on the release that is emulated. */
const removed = (isSwitch: boolean): Flag<string | undefined> => ({
  initial: undefined,
  read: (text) => text,
  expected: "a text",
  help: "",
  placeholder: undefined,
  hidden: true,
  ...(isSwitch ? { bare: "true" } : {})
})

/** Every flag of kubelet that is a matter of its own: those of all components are in common.ts. */
export const allKubeletFlags: Readonly<Record<string, Flag<unknown>>> = Object.fromEntries([
  ...removedFlags.map(({ isSwitch, name }) => [name, removed(isSwitch === true)]),
  ...kubeletFlags.map((known) => [known.name, ofKubelet(known)]),
  ...earlierFlags.map((known) => [known.name, { ...ofKubelet(known), hidden: true }])
])
