/** A mutant in Stryker's report, whose schema is https://github.com/stryker-mutator/mutation-testing-elements. */
export interface Mutant {
  readonly mutatorName: string
  readonly replacement?: string
  readonly status: string
  readonly location: { readonly start: Position; readonly end: Position }
}

interface Position {
  readonly line: number
  readonly column: number
}

/** The part of Stryker's report that is read: the mutants by file. */
export interface Report {
  readonly files: Readonly<Record<string, { readonly source: string; readonly mutants: ReadonlyArray<Mutant> }>>
}

/** The results of the mutants of some files. Ignored mutants and mutants that do not compile count as neither killed nor survived. */
export interface Score {
  /** Includes mutants that timed out. */
  readonly killed: number
  readonly timedOut: number
  readonly survived: number
  /** The share of killed mutants in percent, rounded down, so that one survivor is never 100. */
  readonly percent: number
}

/** The statuses that count as killed, and those that count as survived. */
const KILLED = ["Killed", "Timeout"]
const SURVIVED = ["Survived", "NoCoverage"]

const count = (mutants: ReadonlyArray<Mutant>, statuses: ReadonlyArray<string>): number =>
  mutants.filter(({ status }) => statuses.includes(status)).length

/** Returns the score of mutants. Without mutants it is 100 %. */
export const scoreOf = (mutants: ReadonlyArray<Mutant>): Score => {
  const killed = count(mutants, KILLED)
  const survived = count(mutants, SURVIVED)
  const timedOut = count(mutants, ["Timeout"])
  return {
    killed,
    timedOut,
    survived,
    percent: killed + survived === 0 ? 100 : Math.floor((100 * killed) / (killed + survived))
  }
}

/** Returns the mutants of all files. */
export const mutantsOf = ({ files }: Report): ReadonlyArray<Mutant> =>
  Object.values(files).flatMap(({ mutants }) => mutants)

/** Returns the text that a mutant replaces. Lines and columns count from 1. */
const originalText = (source: string, { end, start }: Mutant["location"]): string => {
  const lines = source.split("\n").slice(start.line - 1, end.line)
  const last = lines.length - 1
  lines[last] = (lines[last] ?? "").slice(0, end.column - 1)
  lines[0] = (lines[0] ?? "").slice(start.column - 1)
  return lines.join(" ")
}

/** The most characters of a text that are printed. */
const MAX_CHARACTERS = 70

const truncate = (text: string): string => {
  const oneLine = text.replaceAll(/\s+/g, " ")
  return oneLine.length > MAX_CHARACTERS ? `${oneLine.slice(0, MAX_CHARACTERS - 1)}…` : oneLine
}

/** Remarks on a mutant. Only a person can distinguish an endless loop from a busy machine. */
const REMARKS: Readonly<Record<string, string>> = { NoCoverage: " (no test runs it)", Timeout: " (ran out of time)" }

/** Returns each survived or timed out mutant as `file:line  operator: original → replacement`. */
export const notableMutants = ({ files }: Report): ReadonlyArray<string> =>
  Object.entries(files).flatMap(([file, { mutants, source }]) =>
    mutants
      .filter(({ status }) => [...SURVIVED, "Timeout"].includes(status))
      .toSorted((left, right) => left.location.start.line - right.location.start.line)
      .map(({ location, mutatorName, replacement = "", status }) => {
        const change = `${truncate(originalText(source, location))} → ${truncate(replacement)}`
        return `${file}:${location.start.line}  ${mutatorName}${REMARKS[status] ?? ""}: ${change}`
      })
  )
