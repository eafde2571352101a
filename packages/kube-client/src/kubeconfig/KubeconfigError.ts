import { didYouMean } from "@rollcall/api"
import * as Schema from "effect/Schema"

/** One thing that is wrong with a kubeconfig: where, what was found and what was expected. */
export interface KubeconfigProblem {
  readonly file: string
  /** `users[0].user.token`, `line 3`, or empty for the file as a whole. */
  readonly path: string
  readonly message: string
}

/** A kubeconfig, or a file that it names, cannot be used. */
export class KubeconfigError extends Schema.TaggedError<KubeconfigError>()("KubeconfigError", {
  problems: Schema.Array(Schema.Struct({ file: Schema.String, path: Schema.String, message: Schema.String }))
}) {
  override get message(): string {
    return this.problems.map(formatProblem).join("\n")
  }
}

export const formatProblem = ({ file, message, path }: KubeconfigProblem): string =>
  [file, path, message].filter((part) => part !== "").join(": ")

export const problem = (file: string, path: string, message: string): KubeconfigError =>
  new KubeconfigError({ problems: [{ file, path, message }] })

/** What stood in the way of writing a file, as a problem of it. */
export const fileProblem = (file: string, cause: unknown): KubeconfigError =>
  cause instanceof KubeconfigError
    ? cause
    : problem(file, "", `cannot be written: ${cause instanceof Error ? cause.message : String(cause)}`)

/** `; did you mean "x"?` for the nearest name, else what there is. */
export const suggestion = (name: string, names: ReadonlyArray<string>): string =>
  didYouMean(name, names) || (names.length === 0 ? "; there are none" : `; there are: ${names.join(", ")}`)
