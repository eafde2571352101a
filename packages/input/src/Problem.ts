import * as Schema from "effect/Schema"

/** One thing that is wrong with what a person wrote. */
export interface Problem {
  /** The file as it was named on the command line or in the scenario. */
  readonly file: string
  /** Where in the file: `spec.events[2].fault`, or a line; empty for the file as a whole. */
  readonly path: string
  readonly message: string
}

/** The input cannot be used; nothing of it has been applied. */
export class InvalidInput extends Schema.TaggedError<InvalidInput>()("InvalidInput", {
  problems: Schema.Array(Schema.Struct({ file: Schema.String, path: Schema.String, message: Schema.String }))
}) {
  override get message(): string {
    return this.problems.map(formatProblem).join("\n")
  }
}

export const invalid = (file: string, path: string, message: string): InvalidInput =>
  new InvalidInput({ problems: [{ file, path, message }] })

export const formatProblem = ({ file, path, message }: Problem): string =>
  path === "" ? `${file}: ${message}` : `${file}: ${path}: ${message}`

/** A value as a message shows it: JSON, cut to a line. */
export const show = (value: unknown): string => {
  const text =
    value === undefined
      ? "nothing"
      : typeof value === "number"
        ? String(value)
        : (JSON.stringify(value) ?? String(value))
  return text.length > 80 ? `${text.slice(0, 77)}...` : text
}

export const formatPath = (path: ReadonlyArray<PropertyKey>): string =>
  path.reduce<string>((text, key) => {
    if (typeof key === "number" || /^\d+$/.test(String(key))) return `${text}[${String(key)}]`
    return text === "" ? String(key) : `${text}.${String(key)}`
  }, "")

export { didYouMean, nearest } from "@rollcall/api"
