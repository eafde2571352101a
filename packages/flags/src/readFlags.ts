import { nearest } from "@rollcall/api/text"
import * as Result from "effect/Result"
import { type Flag, type Flags, type FlagValues, formatValue, shownName } from "./Flag.ts"
import type { FlagProblem } from "./FlagProblem.ts"
import { quoted } from "./goNumbers.ts"
import { flag } from "./kinds.ts"

/** The flags that a command line may have. */
export interface Grammar<T extends Flags> {
  readonly flags: T
  /** Flags of the real component that are accepted with any value and have no effect. */
  readonly ignored?: ReadonlyArray<string>
  /** Set to accept flags whose names resemble none of these flags, like those in `ignored`. */
  readonly ignoresUnknown?: true
  /** Whether underscores in names are read as dashes. Upstream: component-base/cli/flag, WordSepNormalizeFunc. */
  readonly underscores?: boolean
}

/** A parsed command line. */
export interface Parsed<Values> {
  readonly values: Values
  /** The names of the flags that were given. */
  readonly given: ReadonlySet<string>
  /** The index of the word that gave a flag last, by flag name. */
  readonly positions: ReadonlyMap<string, number>
  readonly operands: ReadonlyArray<string>
  /** The index of the first operand among the words. */
  readonly firstOperandAt: number | undefined
  /** Flags that were given and have no effect, each with the index of the first word that gave it. */
  readonly ineffective: ReadonlyMap<string, number>
  /** Whether `--help` or `-h` was among the words. */
  readonly help: boolean
}

/** An occurrence of a flag in a command line. */
interface Occurrence {
  readonly name: string
  /** The value within the same word. */
  readonly value?: string
  /** The shorthands after it in the same word. */
  readonly rest: string
  /** The name in upstream's messages: `--name`, `'n' in -n`. */
  readonly shown: string
}

/** The help flag, which every command has. */
export const helpFlag = flag.boolean(false, "print this help and exit", { short: "h" })

/** Returns the warning about a flag that is accepted and has no effect. */
export const ineffectiveFlag = (name: string): string => `--${name} is not supported and has no effect`

/** A name that a flag may have: a word such as `--max-pods 5` holds a value too, and is no flag of a later release. */
const NAME = /^[\w.-]+$/

class Reader<T extends Flags> {
  readonly values = new Map<string, unknown>()
  readonly positions = new Map<string, number>()
  readonly operands: Array<string> = []
  firstOperandAt: number | undefined
  readonly ineffective = new Map<string, number>()
  readonly #grammar: Grammar<T>
  readonly #flags: ReadonlyMap<string, Flag<unknown>>
  readonly #namesByShorthand: ReadonlyMap<string, string>
  readonly #ignored: ReadonlySet<string>
  readonly #args: ReadonlyArray<string>
  /** The index of the word that is being read, and of the next. */
  #currentIndex = 0
  #nextIndex = 0

  constructor(grammar: Grammar<T>, args: ReadonlyArray<string>) {
    const entries = Object.entries<Flag<unknown>>({ help: helpFlag, ...grammar.flags })
    this.#grammar = grammar
    this.#flags = new Map(entries)
    this.#namesByShorthand = new Map(
      entries.flatMap(([name, { short }]) => (short === undefined ? [] : [[short, name] as const]))
    )
    this.#ignored = new Set(grammar.ignored)
    this.#args = args
    for (const [name, { initial }] of entries) this.values.set(name, initial)
  }

  /** Reads all words; returns the problem of the first invalid one. */
  read(): FlagProblem | undefined {
    while (this.#nextIndex < this.#args.length) {
      this.#currentIndex = this.#nextIndex++
      const word = this.#args[this.#currentIndex] ?? ""
      if (word === "--") {
        while (this.#nextIndex < this.#args.length) this.#addOperand(this.#nextIndex++)
        return undefined
      }
      if (!word.startsWith("-") || word === "-") {
        this.#addOperand(this.#currentIndex)
        continue
      }
      const problem = word.startsWith("--") ? this.#readLong(word) : this.#readShorthands(word)
      if (problem !== undefined) return { ...problem, at: this.#currentIndex }
    }
    return undefined
  }

  #addOperand(at: number): void {
    this.firstOperandAt ??= at
    this.operands.push(this.#args[at] ?? "")
  }

  #readLong(word: string): FlagProblem | undefined {
    const name = word.slice(2)
    if (name.startsWith("-") || name.startsWith("=")) return { message: `bad flag syntax: ${word}` }
    const equals = name.indexOf("=")
    const typed = equals < 0 ? name : name.slice(0, equals)
    const value = equals < 0 ? {} : { value: name.slice(equals + 1) }
    return this.#readOccurrence({ name: this.#normalizeName(typed), rest: "", shown: `--${typed}`, ...value })
  }

  #normalizeName(name: string): string {
    return this.#grammar.underscores === true ? name.replaceAll("_", "-") : name
  }

  #readShorthands(word: string): FlagProblem | undefined {
    for (let letters = word.slice(1); letters !== ""; ) {
      const letter = String.fromCodePoint(letters.codePointAt(0) ?? 0)
      const rest = letters.slice(letter.length)
      const shown = `'${letter}' in -${letters}`
      const name = this.#namesByShorthand.get(letter)
      if (name === undefined) return this.#unknownShorthand(word, shown)
      const bare = this.#flags.get(name)?.bare
      const after = { name, shown }
      // As pflag: `-n=` has the value `=`.
      if (rest.length > 1 && rest.startsWith("="))
        return this.#readOccurrence({ ...after, value: rest.slice(1), rest: "" })
      if (bare === undefined)
        return this.#readOccurrence({ ...after, ...(rest === "" ? {} : { value: rest }), rest: "" })
      const problem = this.#readOccurrence({ ...after, value: bare, rest })
      if (problem !== undefined) return problem
      letters = rest
    }
    return undefined
  }

  /** A word such as `-nodes=3`, which Go's own flag package takes, was probably meant as `--nodes=3`. */
  #unknownShorthand(word: string, shown: string): FlagProblem {
    const [name = ""] = word.slice(1).split("=", 1)
    const near = this.#nearestName(name)
    return {
      message: `unknown shorthand flag: ${shown}`,
      ...(name.length > 1 && near !== undefined ? { nearest: near } : {})
    }
  }

  #nearestName(text: string): string | undefined {
    const [name = ""] = text.split(/\s/, 1)
    const known = [...this.#flags].filter(([, { hidden }]) => hidden !== true).map(([flagName]) => flagName)
    const near = nearest(name, [...known, ...this.#ignored])
    return near === undefined ? undefined : `--${near}`
  }

  #readOccurrence(word: Occurrence): FlagProblem | undefined {
    const { name, shown } = word
    const known = this.#flags.get(name)
    if (known !== undefined) return this.#setValue(name, known, word)
    if (!this.#ignored.has(name)) {
      const near = this.#nearestName(name)
      const isIgnored = this.#grammar.ignoresUnknown === true && near === undefined && NAME.test(name)
      if (!isIgnored) return { message: `unknown flag: ${shown}`, ...(near === undefined ? {} : { nearest: near }) }
    }
    this.#addIneffective(name)
    // It is unknown whether the flag takes a value, so a following word that is not a flag is read as one.
    if (word.value === undefined && !(this.#args[this.#nextIndex] ?? "-").startsWith("-")) this.#nextIndex++
    return undefined
  }

  #addIneffective(name: string): void {
    if (!this.ineffective.has(name)) this.ineffective.set(name, this.#currentIndex)
  }

  #setValue(name: string, known: Flag<unknown>, { shown, value }: Occurrence): FlagProblem | undefined {
    const { bare, expected, inert } = known
    const hint = expected === undefined ? {} : { expected }
    const text = value ?? bare ?? this.#args[this.#nextIndex++]
    if (text === undefined) return { message: `flag needs an argument: ${shown}`, flag: name, ...hint }
    const read = known.read(text, this.positions.has(name) ? this.values.get(name) : undefined)
    if (Result.isFailure(read)) {
      const named = quoted(shownName(name, known))
      const message = `invalid argument ${quoted(text)} for ${named} flag: ${read.failure}`
      return { message, flag: name, found: text, reason: read.failure, ...hint }
    }
    this.values.set(name, read.success)
    this.positions.set(name, this.#currentIndex)
    if (inert === true) this.#addIneffective(name)
    return undefined
  }
}

/**
 * Reads the words of a command line by pflag's rules: `--name=value`, `--name value`, `--switch`, `-n value`,
 * `-nvalue`, `-n=value`, `-abc`, operands between flags, and only operands after `--`. Every command has `--help` and
 * `-h`.
 */
export const readFlags = <T extends Flags>(
  grammar: Grammar<T>,
  args: ReadonlyArray<string>
): Result.Result<Parsed<FlagValues<T>>, FlagProblem> => {
  const reader = new Reader(grammar, args)
  const problem = reader.read()
  if (problem !== undefined) return Result.fail(problem)
  const { firstOperandAt, ineffective, operands, positions, values } = reader
  const help = values.get("help") === true
  values.delete("help")
  positions.delete("help")
  return Result.succeed({
    values: Object.fromEntries(values) as FlagValues<T>,
    given: new Set(positions.keys()),
    positions,
    operands,
    firstOperandAt,
    ineffective,
    help
  })
}

/** Returns a command line that sets these values, for `readFlags`. Default values are left out. */
export const writeFlags = <T extends Flags>(flags: T, values: FlagValues<T>): ReadonlyArray<string> =>
  Object.entries(flags).flatMap(([name, flag]) => {
    const value: unknown = values[name]
    return value === flag.initial ? [] : formatValue(flag, value).map((text) => `--${name}=${text}`)
  })
