import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"

/** One error in what a user wrote in a file or on a command line. */
export interface Problem {
  /** The file as it was named on the command line or in the scenario. */
  readonly file: string
  /** Where in the file: `spec.events[2].fault`; empty for the file as a whole. */
  readonly path: string
  /** The line of the field, or of the object that lacks it, from 1. `withLineNumbers` adds it where it is known. */
  readonly line?: number
  /** What is wrong, as a sentence without its subject, which is `path`: `found "x", expected a number`. */
  readonly message: string
  /**
   * The written value, as the message shows it. Like `expected` and `nearest`, it is absent if only the message has it.
   */
  readonly found?: string
  /** What would be valid: `one of quiet, busy`. */
  readonly expected?: string
  /** The valid name that is most similar to the written one. */
  readonly nearest?: string
}

/** A problem without its file, path and line. */
export type Wrong = Pick<Problem, "expected" | "found" | "message" | "nearest">

const ProblemFields = Schema.Struct({
  file: Schema.String,
  path: Schema.String,
  line: Schema.optionalKey(Schema.Int),
  message: Schema.String,
  found: Schema.optionalKey(Schema.String),
  expected: Schema.optionalKey(Schema.String),
  nearest: Schema.optionalKey(Schema.String)
})

/** The error of invalid input. Nothing of the input has been applied. */
export class InvalidInput extends Schema.TaggedError<InvalidInput>()("InvalidInput", {
  problems: Schema.Array(ProblemFields)
}) {
  override get message(): string {
    return this.problems.map(formatProblem).join("\n")
  }
}

/** Whether an error is about what a user wrote: programs print its message and exit with code 2. */
export const isInvalidInput = Predicate.isTagged("InvalidInput")

/**
 * Makes the error of an invalid command line, with a hint to `--help`. `typed` is the command: `rollcall plan drain`.
 */
export const invalidCommandLine = (typed: string, { expected, found, message, nearest }: Wrong): InvalidInput =>
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

/**
 * Makes a problem from a message, or from the result of `wrongValue`, `unknownName`, `missing` or a similar function.
 */
export const problemAt = (file: string, path: string, wrong: string | Wrong): Problem => ({
  file,
  path,
  ...(typeof wrong === "string" ? { message: wrong } : wrong)
})

/** Makes the error of an input with one problem; see `problemAt`. */
export const invalid = (file: string, path: string, wrong: string | Wrong): InvalidInput =>
  new InvalidInput({ problems: [problemAt(file, path, wrong)] })

/**
 * Formats a problem as `scenario.yaml:12: spec.seed: found "x", expected a number`; editors link the beginning to the
 * line.
 */
export const formatProblem = ({ file, line, path, message }: Problem): string =>
  [line === undefined ? file : `${file}:${line}`, path, message].filter((part) => part !== "").join(": ")

/** Formats a path of keys and indices: `spec.events[2].fault`. */
export const formatPath = (path: ReadonlyArray<PropertyKey>): string =>
  path.reduce<string>((text, key) => {
    if (typeof key === "number" || /^\d+$/.test(String(key))) return `${text}[${String(key)}]`
    return text === "" ? String(key) : `${text}.${String(key)}`
  }, "")

export { didYouMean, nearest } from "@rollcall/api"
