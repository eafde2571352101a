import type * as Result from "effect/Result"

/** One flag of a command: how its text is read, its default, and its help. */
export interface Flag<A> {
  /** The value if the flag is not given. */
  readonly initial: A
  /** The description of the flag, in one line. */
  readonly help: string
  /** The type of the value in help, in pflag's words: `int`, `strings`. Booleans have none. */
  readonly placeholder?: string
  /** The shorthand: `o` of `-o`. */
  readonly short?: string
  /** The value of the flag if it is given without one. Upstream: pflag's NoOptDefVal. */
  readonly bare?: string
  /** The expected form of a value, for error messages: `a duration such as 40s`. */
  readonly expected?: string
  /**
   * Parses a text. `previous` is the value of the flag's earlier occurrences on the same command line, undefined for
   * the first. A failure is the message of upstream's flag: `strconv.ParseInt: parsing "x": invalid syntax`.
   */
  read(text: string, previous: A | undefined): Result.Result<A, string>
  /**
   * Returns the texts of a value, one for each occurrence of the flag: the inverse of `read`. Default: `String(value)`.
   */
  format?(value: A): ReadonlyArray<string>
  /** The default that help shows instead of the text of `initial`; empty to show none. */
  readonly shown?: string
  /** The possible values, for completion. */
  readonly choices?: ReadonlyArray<string>
  /** Set if a command line without the flag is an error. */
  readonly required?: true
  /** Set for a flag of the real component without effect here: it is parsed, and a warning names it. */
  readonly inert?: true
  /** Set if help and completion leave the flag out. */
  readonly hidden?: true
}

/** Flags by name. */
export type Flags = Readonly<Record<string, Flag<unknown>>>

export type FlagValues<T extends Flags> = {
  readonly [Name in keyof T]: T[Name] extends Flag<infer A> ? A : never
}

/** Optional properties of the predefined flag types. */
export type FlagOptions = Partial<Pick<Flag<never>, "bare" | "hidden" | "placeholder" | "short" | "shown">>

/** Makes a flag whose value is undefined if it is not given. */
export const optional = <A>({ shown = "", ...flag }: Flag<A>): Flag<A | undefined> => ({
  ...flag,
  shown,
  initial: undefined,
  read: flag.read,
  format: (value) => (value === undefined ? [] : formatValue(flag, value))
})

/** Returns the texts that set a flag to a value. */
export const formatValue = <A>(flag: Pick<Flag<A>, "format">, value: A): ReadonlyArray<string> =>
  flag.format?.(value) ?? [String(value)]

/** Makes a flag that must be given. */
export const required = <A>(flag: Flag<A>): Flag<A> => ({ ...flag, required: true, shown: "" })

/** Returns the name of a flag in messages: `-o, --output`. */
export const shownName = (name: string, { short }: Pick<Flag<unknown>, "short">): string =>
  short === undefined ? `--${name}` : `-${short}, --${name}`
