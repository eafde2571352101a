/** What is wrong with a command line. */
export interface FlagProblem {
  /** In pflag's and cobra's words. */
  readonly message: string
  /** The index, among the words of the command line, of the one that is wrong; undefined: a word is missing. */
  readonly at?: number
  /** The name of the flag that was given wrongly, without dashes; undefined: the command line has none of that name. */
  readonly flag?: string
  readonly found?: string
  /** Why the flag does not take what was found, in its own words. */
  readonly reason?: string
  readonly expected?: string
  /** What was probably meant: `--nodes`, `simulate`. */
  readonly nearest?: string
}

/** What upstream's words leave out: the nearest right name, or what a value should have been. */
const adviceOf = ({ expected, nearest }: FlagProblem): string => {
  if (nearest !== undefined) return `; did you mean ${JSON.stringify(nearest)}?`
  return expected === undefined ? "" : `; expected ${expected}`
}

/** A problem as Rollcall's own commands say it: upstream's words, with what helps. */
export const formatFlagProblem = (problem: FlagProblem): string => `${problem.message}${adviceOf(problem)}`
