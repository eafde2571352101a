import { type Flag, formatValue, type Parsed } from "@rollcall/flags"
import { globalFlags, verbFlags } from "./verbFlags.ts"

/** The arguments and flags of a verb's command line. The value of a flag that was not given is undefined. */
export interface Arguments {
  readonly positional: ReadonlyArray<string>
  /** Whether the flag was given. */
  readonly has: (name: string) => boolean
  readonly text: (name: string) => string | undefined
  readonly texts: (name: string) => ReadonlyArray<string>
  /** Returns the value of a boolean flag; `otherwise`, which is false by default, if it was not given. */
  readonly isOn: (name: string, otherwise?: boolean) => boolean
  readonly int: (name: string) => number | undefined
  /** Returns a duration in milliseconds. */
  readonly duration: (name: string) => number | undefined
}

const allFlags: Readonly<Record<string, Flag<unknown>>> = { ...verbFlags, ...globalFlags }

export const makeArguments = ({ given, operands, values }: Parsed<Readonly<Record<string, unknown>>>): Arguments => {
  const number = (name: string) => {
    const value = values[name]
    return typeof value === "number" ? value : undefined
  }
  return {
    positional: operands,
    has: (name) => given.has(name),
    text: (name) => {
      const flag = allFlags[name]
      return flag === undefined || values[name] === undefined ? undefined : formatValue(flag, values[name])[0]
    },
    texts: (name) => (Array.isArray(values[name]) ? values[name] : []),
    isOn: (name, otherwise = false) => (typeof values[name] === "boolean" ? values[name] : otherwise),
    int: number,
    duration: number
  }
}
