import * as Result from "effect/Result"
import { CommandError } from "./CommandError.ts"

export type FlagType = "bool" | "string" | "strings" | "int" | "duration"

/** A flag that a command knows. */
export interface Flag {
  readonly name: string
  readonly type: FlagType
  readonly short?: string
  /** The value of the flag without one: `--dry-run`. */
  readonly bare?: string
}

/** What a command line said. */
export interface Arguments {
  readonly positional: ReadonlyArray<string>
  readonly has: (name: string) => boolean
  readonly text: (name: string) => string | undefined
  readonly texts: (name: string) => ReadonlyArray<string>
  readonly isOn: (name: string, otherwise?: boolean) => boolean
  readonly int: (name: string) => number | undefined
}

export const bool = (name: string, short?: string): Flag => ({ name, type: "bool", ...(short ? { short } : {}) })
export const text = (name: string, short?: string): Flag => ({ name, type: "string", ...(short ? { short } : {}) })
export const texts = (name: string, short?: string): Flag => ({ name, type: "strings", ...(short ? { short } : {}) })
export const int = (name: string): Flag => ({ name, type: "int" })
export const duration = (name: string): Flag => ({ name, type: "duration" })

/** What every command takes. */
export const commonFlags: ReadonlyArray<Flag> = [text("namespace", "n"), text("request-timeout"), text("v", "v")]

const truths = ["1", "t", "T", "true", "TRUE", "True"]
const falsehoods = ["0", "f", "F", "false", "FALSE", "False"]

const fault = (type: FlagType, value: string): string | undefined => {
  const quoted = JSON.stringify(value)
  if (type === "bool" && ![...truths, ...falsehoods].includes(value)) {
    return `strconv.ParseBool: parsing ${quoted}: invalid syntax`
  }
  if (type === "int" && !/^[+-]?\d+$/.test(value)) return `strconv.ParseInt: parsing ${quoted}: invalid syntax`
  if (type === "duration" && /^[+-]?(\d+(\.\d*)?|\.\d+)$/.test(value) && Number(value) !== 0) {
    return `time: missing unit in duration ${quoted}`
  }
  if (type === "duration" && !/^[+-]?(0|(\d+(\.\d*)?(ns|us|µs|ms|s|m|h))+)$/.test(value)) {
    return `time: invalid duration ${quoted}`
  }
  return undefined
}

/** Reads a command line as pflag does: flags and arguments in any order, until `--`. */
export const parseFlags = (
  command: string,
  flags: ReadonlyArray<Flag>,
  argv: ReadonlyArray<string>
): Result.Result<Arguments, CommandError> => {
  const known = [...commonFlags, ...flags]
  const values = new Map<string, Array<string>>()
  const positional: Array<string> = []
  const refuse = (message: string) =>
    Result.fail(new CommandError({ text: `error: ${message}\nSee 'kubectl ${command} --help' for usage.` }))

  const set = (flag: Flag, value: string): string | undefined => {
    const wrong = fault(flag.type, value)
    const shown = flag.short === undefined ? `--${flag.name}` : `-${flag.short}, --${flag.name}`
    if (wrong !== undefined)
      return `invalid argument ${JSON.stringify(value)} for ${JSON.stringify(shown)} flag: ${wrong}`
    const split = flag.type === "strings" ? value.split(",") : [value]
    values.set(flag.name, flag.type === "strings" ? [...(values.get(flag.name) ?? []), ...split] : split)
    return undefined
  }
  const bareOf = (flag: Flag): string | undefined => flag.bare ?? (flag.type === "bool" ? "true" : undefined)

  for (let at = 0; at < argv.length; at++) {
    const argument = argv[at] ?? ""
    if (argument === "--") {
      positional.push(...argv.slice(at + 1))
      break
    }
    if (argument.startsWith("--")) {
      const [name = "", ...rest] = argument.slice(2).split("=")
      const flag = known.find((candidate) => candidate.name === name)
      if (flag === undefined) return refuse(`unknown flag: --${name}`)
      const value = rest.length > 0 ? rest.join("=") : (bareOf(flag) ?? argv[++at])
      if (value === undefined) return refuse(`flag needs an argument: --${name}`)
      const wrong = set(flag, value)
      if (wrong !== undefined) return refuse(wrong)
    } else if (argument.startsWith("-") && argument.length > 1) {
      for (let rest = argument.slice(1); rest !== ""; ) {
        const [letter = ""] = rest
        const flag = known.find(({ short }) => short === letter)
        if (flag === undefined) return refuse(`unknown shorthand flag: '${letter}' in ${argument}`)
        const bare = bareOf(flag)
        const given = rest.slice(1)
        let value: string | undefined
        if (given.startsWith("=")) value = given.slice(1)
        else if (bare !== undefined) value = bare
        else value = given === "" ? argv[++at] : given
        if (value === undefined) return refuse(`flag needs an argument: '${letter}' in ${argument}`)
        const wrong = set(flag, value)
        if (wrong !== undefined) return refuse(wrong)
        rest = bare !== undefined && !given.startsWith("=") ? given : ""
      }
    } else positional.push(argument)
  }

  const one = (name: string): string | undefined => values.get(name)?.at(-1)
  return Result.succeed({
    positional,
    has: (name) => values.has(name),
    text: one,
    texts: (name) => values.get(name) ?? [],
    isOn: (name, otherwise = false) => (values.has(name) ? truths.includes(one(name) ?? "") : otherwise),
    int: (name) => (values.has(name) ? Number(one(name)) : undefined)
  })
}
