import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"

/** One thing that is wrong with what a person wrote. */
export interface Problem {
  /** The file as it was named on the command line or in the scenario. */
  readonly file: string
  /** Where in the file: `spec.events[2].fault`; empty for the file as a whole. */
  readonly path: string
  /** The line of the file, from 1: of the field, or of what should have it; absent where it is not known (`withLines`). */
  readonly line?: number
  /** What is wrong, as a sentence without its subject, which is the path. `wrongValue` and its like make it of what follows. */
  readonly message: string
  /** What was written, what could have been, and the right name that is nearest: as far as they are known by themselves. */
  readonly found?: string
  readonly expected?: string
  readonly nearest?: string
}

/** What is wrong at a place: in words, and in fields as far as they are known by themselves. */
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

/** A problem of a place: in words alone, or as `wrongValue`, `unknownName`, `missing` and their like say it. */
export const problemAt = (file: string, path: string, wrong: string | Wrong): Problem => ({
  file,
  path,
  ...(typeof wrong === "string" ? { message: wrong } : wrong)
})

/** An input with one problem. */
export const invalid = (file: string, path: string, wrong: string | Wrong): InvalidInput =>
  new InvalidInput({ problems: [problemAt(file, path, wrong)] })

/** `scenario.yaml:12: spec.seed: found "x", expected a number`: editors find the line by its beginning. */
export const formatProblem = ({ file, line, path, message }: Problem): string =>
  [line === undefined ? file : `${file}:${line}`, path, message].filter((part) => part !== "").join(": ")

export const formatPath = (path: ReadonlyArray<PropertyKey>): string =>
  path.reduce<string>((text, key) => {
    if (typeof key === "number" || /^\d+$/.test(String(key))) return `${text}[${String(key)}]`
    return text === "" ? String(key) : `${text}.${String(key)}`
  }, "")

export { didYouMean, nearest } from "@rollcall/api"
