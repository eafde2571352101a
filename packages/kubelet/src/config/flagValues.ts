import type { Release } from "@rollcall/api"
import { readFlagList } from "@rollcall/flags/settings"
import { type InvalidInput, invalid, type Place } from "@rollcall/input"
import * as Result from "effect/Result"
import { kubeletFlagSet } from "./flagSet.ts"
import { removedFlags } from "./removedFlags.ts"

/** The values of the flags that were given, by flag name. Each is a value of the configuration field that the flag sets. */
export type KubeletFlagValues = Readonly<Record<string, unknown>>

const removedByName = new Map(removedFlags.map((flag) => [flag.name, flag]))

const minorOf = ({ name }: Release): number => Number(name.slice(name.indexOf(".") + 1))

/** Returns the error about a flag that the release no longer has, or undefined if it has the flag or never had it. */
export const removedFlagText = (name: string, release: Release): string | undefined => {
  const flag = removedByName.get(name)
  return flag === undefined || minorOf(release) <= flag.lastMinor
    ? undefined
    : `is no flag of kubelet ${release.name} any more; ${flag.advice}`
}

export interface ReadFlags {
  readonly values: KubeletFlagValues
  readonly warnings: ReadonlyArray<string>
}

/** Reads kubelet flags from a list in a file. The rules and errors are those of the command line. */
export const readKubeletFlags = (
  place: Place,
  words: ReadonlyArray<string>,
  release: Release
): Result.Result<ReadFlags, InvalidInput> =>
  Result.flatMap(readFlagList("kubelet", kubeletFlagSet, place, words), ({ paths, values, warnings }) => {
    for (const [name, path] of paths) {
      const removed = removedFlagText(name, release)
      if (removed !== undefined) return Result.fail(invalid(place.file, path, `--${name} ${removed}`))
    }
    return Result.succeed({ values, warnings })
  })
