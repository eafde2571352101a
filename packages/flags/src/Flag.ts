import type * as Result from "effect/Result"

/** One flag of a command: how its text is read, what it is when it is not given, and what help says of it. */
export interface Flag<A> {
  readonly initial: A
  /** What the flag does; one line. */
  readonly help: string
  /** The value's type in help, by pflag's names: `int`, `strings`; absent: booleans have none. */
  readonly placeholder?: string
  /** Its shorthand: `o` of `-o`. */
  readonly short?: string
  /** The text that the flag stands for without one. Upstream: pflag's NoOptDefVal. */
  readonly bare?: string
  /** What a text should be, where a refusal does not say it: `a duration such as 40s`. */
  readonly expected?: string
  /**
   * The value of a text. `previous` is that of the flag's earlier texts of the same command line, undefined for the first. A
   * failure is the reason, in the words of upstream's flag: `strconv.ParseInt: parsing "x": invalid syntax`.
   */
  read(text: string, previous: A | undefined): Result.Result<A, string>
  /** The texts that give the value, one for each time that the flag is written: the inverse of `read`. Absent: one, as JavaScript has it. */
  format?(value: A): ReadonlyArray<string>
  /** The default as help shows it, where `initial` does not say it; empty: none is shown. */
  readonly shown?: string
  /** The texts to choose from, for completion. */
  readonly choices?: ReadonlyArray<string>
  /** A command line without it is refused. */
  readonly required?: true
  /** Of the real component: it is read, has no effect, and is named in a warning. */
  readonly inert?: true
  /** Not in help and completion. */
  readonly hidden?: true
}

/** Flags by name. */
export type Flags = Readonly<Record<string, Flag<unknown>>>

export type FlagValues<T extends Flags> = {
  readonly [Name in keyof T]: T[Name] extends Flag<infer A> ? A : never
}

/** What a flag has besides its value and its help. */
export type FlagOptions = Partial<Pick<Flag<never>, "bare" | "hidden" | "placeholder" | "short" | "shown">>

/** A flag that is undefined when it is not given. */
export const optional = <A>({ shown = "", ...flag }: Flag<A>): Flag<A | undefined> => ({
  ...flag,
  shown,
  initial: undefined,
  read: flag.read,
  format: (value) => (value === undefined ? [] : formatValue(flag, value))
})

/** The texts that give a flag a value. */
export const formatValue = <A>(flag: Pick<Flag<A>, "format">, value: A): ReadonlyArray<string> =>
  flag.format?.(value) ?? [String(value)]

/** A flag that must be given. */
export const required = <A>(flag: Flag<A>): Flag<A> => ({ ...flag, required: true, shown: "" })

/** How messages name a flag: `-o, --output`. */
export const shownName = (name: string, { short }: Pick<Flag<unknown>, "short">): string =>
  short === undefined ? `--${name}` : `-${short}, --${name}`
