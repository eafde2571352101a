import { type Flag, formatValue, type Parsed } from "@rollcall/flags"
import { globalFlags, verbFlags } from "./verbFlags.ts"

/** What a command line of a verb says. Flags that were not given are undefined. */
export interface Arguments {
  readonly positional: ReadonlyArray<string>
  readonly has: (name: string) => boolean
  readonly text: (name: string) => string | undefined
  readonly texts: (name: string) => ReadonlyArray<string>
  readonly isOn: (name: string, otherwise?: boolean) => boolean
  readonly int: (name: string) => number | undefined
  /** Milliseconds. */
  readonly duration: (name: string) => number | undefined
}

const all: Readonly<Record<string, Flag<unknown>>> = { ...verbFlags, ...globalFlags }

export const argumentsOf = ({ given, operands, values }: Parsed<Readonly<Record<string, unknown>>>): Arguments => {
  const number = (name: string) => {
    const value = values[name]
    return typeof value === "number" ? value : undefined
  }
  return {
    positional: operands,
    has: (name) => given.has(name),
    text: (name) => {
      const flag = all[name]
      return flag === undefined || values[name] === undefined ? undefined : formatValue(flag, values[name])[0]
    },
    texts: (name) => (Array.isArray(values[name]) ? values[name] : []),
    isOn: (name, otherwise = false) => (typeof values[name] === "boolean" ? values[name] : otherwise),
    int: number,
    duration: number
  }
}
