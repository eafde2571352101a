import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"

/** One thing that is wrong with what a person wrote. */
export interface Problem {
  /** The file as it was named on the command line or in the scenario. */
  readonly file: string
  /** Where in the file: `spec.events[2].fault`, or a line; empty for the file as a whole. */
  readonly path: string
  readonly message: string
  /** What was written, what could have been, and the right name that is nearest: as far as they are known by themselves. */
  readonly found?: string
  readonly expected?: string
  readonly nearest?: string
}

const ProblemFields = Schema.Struct({
  file: Schema.String,
  path: Schema.String,
  message: Schema.String,
  found: Schema.optionalKey(Schema.String),
  expected: Schema.optionalKey(Schema.String),
  nearest: Schema.optionalKey(Schema.String)
})

/** The input cannot be used; nothing of it has been applied. */
export class InvalidInput extends Schema.TaggedError<InvalidInput>()("InvalidInput", {
  problems: Schema.Array(ProblemFields)
}) {
  override get message(): string {
    return this.problems.map(formatProblem).join("\n")
  }
}

/** Whether an error is about what a person wrote: the program that was given it prints its message and exits 2. */
export const isInvalidInput = Predicate.isTagged("InvalidInput")

/** The command line of a command is refused; `typed` is how it was called: `rollcall plan drain`. */
export const invalidCommandLine = (
  typed: string,
  { expected, found, message, nearest }: Pick<Problem, "expected" | "found" | "message" | "nearest">
): InvalidInput =>
  new InvalidInput({
    problems: [
      {
        file: "command line",
        path: "",
        message: `${message}\nSee '${typed} --help' for usage.`,
        ...(found === undefined ? {} : { found }),
        ...(expected === undefined ? {} : { expected }),
        ...(nearest === undefined ? {} : { nearest })
      }
    ]
  })

export const invalid = (file: string, path: string, message: string): InvalidInput =>
  new InvalidInput({ problems: [{ file, path, message }] })

export const formatProblem = ({ file, path, message }: Problem): string =>
  [file, path, message].filter((part) => part !== "").join(": ")

/** The longest value that a message shows whole. */
const MOST_SHOWN = 80

/** The beginning of a value's JSON. No more of it is made than is shown: what a person hands in can be deep, and long. */
const beginningOf = (value: unknown): string => {
  let text = ""
  const isFull = () => text.length > MOST_SHOWN
  const members = (items: Iterable<readonly [prefix: string, item: unknown]>, open: string, close: string) => {
    text += open
    let separator = ""
    for (const [prefix, item] of items) {
      if (isFull()) return
      text += separator + prefix
      separator = ","
      write(item)
    }
    text += close
  }
  const write = (item: unknown): void => {
    if (typeof item === "string") text += JSON.stringify(item.slice(0, MOST_SHOWN + 1))
    else if (Array.isArray(item)) members(withoutNames(item), "[", "]")
    else if (Predicate.isReadonlyObject(item)) members(withNames(item), "{", "}")
    else text += JSON.stringify(item) ?? "null"
  }
  write(value)
  return text
}

function* withoutNames(items: ReadonlyArray<unknown>): Generator<readonly [string, unknown]> {
  for (const item of items) yield ["", item]
}

function* withNames(fields: Readonly<Record<string, unknown>>): Generator<readonly [string, unknown]> {
  for (const name of Object.keys(fields)) {
    if (fields[name] !== undefined) yield [`${JSON.stringify(name.slice(0, MOST_SHOWN + 1))}:`, fields[name]]
  }
}

/** A value as a message shows it: JSON, cut to a line. */
export const show = (value: unknown): string => {
  const text = value === undefined ? "nothing" : typeof value === "number" ? String(value) : beginningOf(value)
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN - 3)}...` : text
}

export const formatPath = (path: ReadonlyArray<PropertyKey>): string =>
  path.reduce<string>((text, key) => {
    if (typeof key === "number" || /^\d+$/.test(String(key))) return `${text}[${String(key)}]`
    return text === "" ? String(key) : `${text}.${String(key)}`
  }, "")

export { didYouMean, nearest } from "@rollcall/api"
