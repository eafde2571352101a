import { formatDuration, parseDuration } from "@rollcall/api"

/** One flag of a command line: how its text is read, and what it is when nobody gives it. */
export interface Flag<A> {
  readonly initial: A
  /** The value that a text adds to what was there; undefined: the text is no such value. */
  read(text: string, previous: A): A | undefined
  /** What a text should have been: `a duration such as 40s`. */
  readonly expected: string
  readonly help: string
  /** The value's name in the usage text; booleans have none. */
  readonly placeholder: string | undefined
  /** The text that a flag without one stands for. */
  readonly bare?: string
  /** Why a text is refused, in words of the flag's own. */
  refusal?(text: string, previous: A): string
  /** The default as the usage text shows it, where `initial` does not say it. */
  readonly shown?: string
  /** A value as a command line has it; absent: as JavaScript prints it. */
  format?(value: A): string
  /** A flag of the real component that is read and has no effect: it is named in a warning. */
  readonly inert?: true
  /** Not in the usage text. */
  readonly hidden?: true
}

export type Flags = Readonly<Record<string, Flag<unknown>>>
export type FlagValues<T> = { readonly [Name in keyof T]: T[Name] extends Flag<infer A> ? A : never }

const simple =
  <A>(placeholder: string, expected: string, read: (text: string) => A | undefined) =>
  (initial: A, help: string): Flag<A> => ({ initial, read: (text) => read(text), expected, help, placeholder })

const finite = (text: string): number | undefined => {
  const value = text.trim() === "" ? Number.NaN : Number(text)
  return Number.isFinite(value) ? value : undefined
}

/** Upstream: Go's strconv.ParseBool. */
export const parseSwitch = (text: string): boolean | undefined =>
  /^(1|t|T|TRUE|true|True)$/.test(text) ? true : /^(0|f|F|FALSE|false|False)$/.test(text) ? false : undefined

const separated = (text: string): ReadonlyArray<string> => text.split(",").filter((part) => part !== "")

const readPairs = (text: string, previous: Readonly<Record<string, string>>) => {
  const pairs = separated(text).map((part) => [part.slice(0, part.indexOf("=")), part.slice(part.indexOf("=") + 1)])
  if (separated(text).some((part) => part.indexOf("=") < 1)) return undefined
  return { ...previous, ...(Object.fromEntries(pairs) as Readonly<Record<string, string>>) }
}

const duration = simple<number>("duration", "a duration such as 40s or 5m", (text) => {
  const value = parseDuration(text)
  return Number.isNaN(value) ? undefined : value
})

/** The types that flags of Kubernetes' components have. Upstream: github.com/spf13/pflag. */
export const flag = {
  text: simple<string>("string", "a text", (text) => text),
  number: simple<number>("float", "a number", finite),
  integer: simple<number>("int", "a whole number", (text) => {
    const value = finite(text)
    return Number.isInteger(value) ? value : undefined
  }),
  /** Milliseconds; written as Go writes durations. */
  duration: (initial: number, help: string): Flag<number> => ({
    ...duration(initial, help),
    format: formatDuration
  }),
  boolean: (initial: boolean, help: string): Flag<boolean> => ({
    initial,
    read: parseSwitch,
    expected: "true or false",
    help,
    placeholder: undefined,
    bare: "true"
  }),
  oneOf: <const A extends string>(values: ReadonlyArray<A>, initial: A, help: string): Flag<A> => ({
    initial,
    read: (text) => values.find((value) => value === text),
    expected: `one of ${values.join(", ")}`,
    help,
    placeholder: values.join("|")
  }),
  /** Separated by commas, and repeatable. */
  texts: (help: string): Flag<ReadonlyArray<string>> => ({
    initial: [],
    read: (text, previous) => [...previous, ...separated(text)],
    expected: "texts separated by commas",
    help,
    placeholder: "strings"
  }),
  pairs: (help: string): Flag<Readonly<Record<string, string>>> => ({
    initial: {},
    read: readPairs,
    expected: "key=value pairs separated by commas",
    help,
    placeholder: "key=value,…"
  })
} as const
