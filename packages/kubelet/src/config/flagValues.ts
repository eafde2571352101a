import { didYouMean, nearest, type Release } from "@rollcall/api"
import { type InvalidInput, invalid, show } from "@rollcall/input"
import * as Result from "effect/Result"
import { type KubeletFlag, kubeletFlags } from "./flags.ts"
import { type FlagRefusal, type FlagType, flagTypes } from "./flagTypes.ts"
import { removedFlags } from "./removedFlags.ts"

/** What flags say: by the flag's name, the value of the field that it stands for. Flags that nobody gave are missing. */
export type KubeletFlagValues = Readonly<Record<string, unknown>>

const byName: ReadonlyMap<string, KubeletFlag> = new Map(kubeletFlags.map((flag) => [flag.name, flag]))
const removedByName = new Map(removedFlags.map((flag) => [flag.name, flag]))

export const isRemovedFlag = (name: string): boolean => removedByName.has(name)

const minorOf = ({ name }: Release): number => Number(name.slice(name.indexOf(".") + 1))

/** Why a release knows a flag no more; undefined: it does. */
export const removedFlagText = (name: string, release: Release): string | undefined => {
  const flag = removedByName.get(name)
  return flag === undefined || minorOf(release) <= flag.last
    ? undefined
    : `is no flag of kubelet ${release.name} any more; ${flag.advice}`
}

/** A flag's type, for any value. */
export const flagType = ({ type }: KubeletFlag): FlagType<unknown> => flagTypes[type] as FlagType<unknown>

export const refusalText = (text: string, refusal: FlagRefusal): string =>
  "message" in refusal ? refusal.message : `found ${show(text)}, expected ${refusal.expected}`

export const ineffectiveFlag = (name: string): string => `--${name} is not supported and has no effect`

export interface ReadFlags {
  readonly values: KubeletFlagValues
  readonly warnings: ReadonlyArray<string>
}

/**
 * Reads flags that stand in a file as a list of `--name=value`. As strict as the command line; a flag that nobody knows, nor
 * nearly, is named in a warning. `base` is where the list stands in its file.
 */
export const readKubeletFlags = (
  file: string,
  base: string,
  texts: ReadonlyArray<string>,
  release: Release
): Result.Result<ReadFlags, InvalidInput> => {
  const values: Record<string, unknown> = {}
  const warnings: Array<string> = []
  for (const [index, given] of texts.entries()) {
    const path = `${base}[${index}]`
    const fail = (message: string) => Result.fail(invalid(file, path, message))
    const match = /^--([^=]+)(?:=([\s\S]*))?$/.exec(given)
    if (match === null) return fail(`found ${show(given)}, expected --name=value`)
    const name = (match[1] ?? "").replaceAll("_", "-")
    const flag = byName.get(name)
    const removed = removedFlagText(name, release)
    if (removed !== undefined) return fail(`--${name} ${removed}`)
    if (flag === undefined) {
      if (!isRemovedFlag(name) && nearest(name, byName.keys()) !== undefined) {
        return fail(`unknown flag --${name}${didYouMean(name, byName.keys())}`)
      }
      warnings.push(`${file}: ${path}: ${ineffectiveFlag(name)}`)
      continue
    }
    const type = flagType(flag)
    const text = match[2] ?? type.bare ?? ""
    const value = type.read(text, values[name])
    if (Result.isFailure(value)) return fail(`--${name}: ${refusalText(text, value.failure)}`)
    values[name] = value.success
    if (!flag.honoured) warnings.push(`${file}: ${path}: ${ineffectiveFlag(name)}`)
  }
  return Result.succeed({ values, warnings })
}
