/** An error in a command line. */
export interface FlagProblem {
  /** The message of pflag or cobra. */
  readonly message: string
  /** The index of the wrong word on the command line; absent if a word is missing. */
  readonly at?: number
  /** The name of the flag without dashes; absent if the command has no such flag. */
  readonly flag?: string
  /** The value as it was typed. */
  readonly found?: string
  /** The reason why the flag refuses the value. */
  readonly reason?: string
  readonly expected?: string
  /** The nearest known name: `--nodes`, `simulate`. */
  readonly nearest?: string
}

/** Returns the nearest name or the expected value, which upstream's messages leave out. */
const adviceOf = ({ expected, nearest }: FlagProblem): string => {
  if (nearest !== undefined) return `; did you mean ${JSON.stringify(nearest)}?`
  return expected === undefined ? "" : `; expected ${expected}`
}

/** Returns the message of a problem for Rollcall's own commands: upstream's, followed by advice. */
export const formatFlagProblem = (problem: FlagProblem): string => `${problem.message}${adviceOf(problem)}`
