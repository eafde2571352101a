import type * as Result from "effect/Result"

/** One thing that is wrong with a configuration: in which file (or `command line`), where in it, and what. */
export interface ConfigProblem {
  readonly file: string
  /** `evictionSoft.memory.available`; empty for the file as a whole. */
  readonly path: string
  readonly message: string
}

export type Checked<A> = Result.Result<A, ReadonlyArray<ConfigProblem>>

/** A value as a message shows it: JSON, cut to a line. */
export const shown = (value: unknown): string => {
  const text = JSON.stringify(value) ?? "nothing"
  return text.length > 80 ? `${text.slice(0, 77)}...` : text
}

/** Go's `%q` of what configurations hold. */
export const quoted = (text: string): string => JSON.stringify(text)
