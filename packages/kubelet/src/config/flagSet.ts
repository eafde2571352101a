import { formatDuration, parseDuration } from "@rollcall/api/text"
import { type Flag, flag, optional } from "@rollcall/flags"
import { earlierFlags, type KubeletFlag, kubeletFlags } from "./flags.ts"
import { type FlagType, flagTypes } from "./flagTypes.ts"
import { removedFlags } from "./removedFlags.ts"

/** Returns a default as Go prints it: `1m` becomes `1m0s`. */
const defaultText = (placeholder: string | undefined, initial: string): string =>
  placeholder === "duration" ? formatDuration(parseDuration(initial)) : initial

/**
 * Returns the flag as the flag reader takes it. The value is undefined if the flag is not given, because its default is
 * that of the configuration field.
 */
const flagOf = ({ help, honoured, initial, type: name }: KubeletFlag): Flag<unknown> => {
  const type = flagTypes[name] as FlagType<unknown>
  return {
    ...type,
    initial: undefined,
    help,
    shown: initial === undefined ? "" : defaultText(type.placeholder, initial),
    ...(honoured ? {} : { inert: true })
  }
}

/**
 * Returns a hidden flag of earlier releases. `removedFlagText` checks whether a release still has it once the release
 * is known.
 */
const removedFlag = (isSwitch: boolean): Flag<string | undefined> => ({
  ...optional(flag.text("", "", { hidden: true, ...(isSwitch ? { bare: "true" } : {}) })),
  inert: true
})

/** Every flag of kubelet of any release, but for those that all components have. Upstream: cmd/kubelet/app/options/options.go. */
export const kubeletFlagSet: Readonly<Record<string, Flag<unknown>>> = Object.fromEntries([
  ...removedFlags.map(({ isSwitch, name }) => [name, removedFlag(isSwitch === true)]),
  ...kubeletFlags.map((known) => [known.name, flagOf(known)]),
  ...earlierFlags.map((known) => [known.name, { ...flagOf(known), hidden: true }])
])
