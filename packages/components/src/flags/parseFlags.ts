import { type InvalidInput, invalid, nearest, show } from "@rollcall/input"
import * as Result from "effect/Result"
import type { Flag, Flags, FlagValues } from "./Flag.ts"

/** A program's flags and the words around them. */
export interface Program<T extends Flags> {
  /** As pages and logs name it: `kube-apiserver`. */
  readonly name: string
  readonly about: string
  readonly flags: T
  /** What may stand beside the flags: `[FILE]`; absent: nothing. */
  readonly operands?: string
  /** Flags of the real component that are understood and have no effect here. */
  readonly ignored?: ReadonlyArray<string>
}

export interface Parsed<Values> {
  readonly values: Values
  /** The names of the flags that were given. */
  readonly given: ReadonlySet<string>
  readonly operands: ReadonlyArray<string>
  readonly warnings: ReadonlyArray<string>
}

const COMMAND_LINE = "command line"
/** Warnings and mistakes name a flag by this many letters at least, so that `-a` is nobody's misspelling. */
const NAME = /^--?([^=]+)(?:=([\s\S]*))?$/

/**
 * Reads a command line as Kubernetes' components do: `--name=value`, `--name value`, `--switch`; underscores for dashes. A flag
 * of the real component that has no effect here is named in a warning; any other unknown one is refused, with the nearest name.
 */
export const parseFlags = <T extends Flags>(
  program: Program<T>,
  args: ReadonlyArray<string>
): Result.Result<Parsed<FlagValues<T>>, InvalidInput> => {
  const { flags, ignored = [] } = program
  const table = new Map(Object.entries(flags)) as ReadonlyMap<string, Flag<unknown>>
  const values = new Map([...table].map(([name, { initial }]) => [name, initial]))
  const given = new Set<string>()
  const operands: Array<string> = []
  const warnings: Array<string> = []
  const fail = (path: string, message: string) => Result.fail(invalid(COMMAND_LINE, path, message))

  for (let index = 0; index < args.length; index++) {
    const text = args[index] ?? ""
    const match = NAME.exec(text)
    if (text === "--") {
      operands.push(...args.slice(index + 1))
      break
    }
    if (match === null || text === "-") {
      operands.push(text)
      continue
    }
    const name = text === "-h" ? "help" : (match[1] ?? "").replaceAll("_", "-")
    const found = table.get(name)
    if (found === undefined) {
      if (!ignored.includes(name)) {
        const near = nearest(name, [...table.keys(), ...ignored])
        const advice = near === undefined ? "--help lists the flags" : `did you mean --${near}?`
        return fail(`--${name}`, `unknown flag of ${program.name}; ${advice}`)
      }
      warnings.push(`--${name} is not supported and has no effect`)
      if (match[2] === undefined && !(args[index + 1] ?? "-").startsWith("-")) index++
      continue
    }
    const value = match[2] ?? found.bare ?? args[++index]
    if (value === undefined) return fail(`--${name}`, `needs a value, expected ${found.expected}`)
    const previous = values.get(name)
    const read = found.read(value, previous)
    if (read === undefined) {
      return fail(`--${name}`, found.refusal?.(value, previous) ?? `found ${show(value)}, expected ${found.expected}`)
    }
    values.set(name, read)
    if (found.inert && !given.has(name)) warnings.push(`--${name} is not supported and has no effect`)
    given.add(name)
  }
  if (operands.length > 0 && program.operands === undefined) {
    return fail("", `found ${show(operands[0])}, ${program.name} takes flags only`)
  }
  return Result.succeed({ values: Object.fromEntries(values) as FlagValues<T>, given, operands, warnings })
}

/** A default that says nothing is left out, as pflag leaves it out. */
const shown = (flag: Flag<unknown>): string => {
  const { initial, shown: text } = flag
  if (text !== undefined) return ` (default ${text})`
  if (initial === "" || initial === false || initial === 0 || initial === undefined) return ""
  if (typeof initial === "object") return ""
  return ` (default ${flag.format?.(initial) ?? String(initial)})`
}

/** What `--help` prints. */
export const usageOf = <T extends Flags>({ about, flags, name, operands }: Program<T>): string => {
  const listed = Object.entries(flags).filter(([, { hidden, inert }]) => !hidden && !inert)
  const rows = listed.map(([flagName, flag]) => [
    `      --${flagName}${flag.placeholder === undefined ? "" : ` ${flag.placeholder}`}`,
    `${flag.help}${shown(flag)}`
  ])
  const width = Math.max(...rows.map(([left = ""]) => left.length)) + 3
  const table = rows.map(([left = "", right = ""]) => `${left.padEnd(width)}${right}`)
  return [
    about,
    "",
    `Usage:\n  ${name} [flags]${operands === undefined ? "" : ` ${operands}`}`,
    "",
    "Flags:",
    ...table,
    ""
  ].join("\n")
}

/** A program as whoever runs it needs it: what its command line comes to, and its usage. */
export interface CommandLine<Values> {
  readonly name: string
  readonly usage: () => string
  readonly parse: (args: ReadonlyArray<string>) => Result.Result<Parsed<Values>, InvalidInput>
}

/** The program under the name that a person typed: `rollcall apiserver`. */
export const commandLine = <T extends Flags>(program: Program<T>, typed: string): CommandLine<FlagValues<T>> => {
  const named = { ...program, name: typed }
  return { name: typed, usage: () => usageOf(named), parse: (args) => parseFlags(named, args) }
}
