/** A mutant in Stryker's report: https://github.com/stryker-mutator/mutation-testing-elements, the schema. */
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

export interface Report {
  readonly files: Readonly<Record<string, { readonly source: string; readonly mutants: ReadonlyArray<Mutant> }>>
}

/** The results of the mutants of some files. Ignored mutants and mutants that do not compile count as neither killed nor survived. */
export interface Score {
  /** Includes mutants that timed out. */
  readonly killed: number
  readonly timedOut: number
  readonly survived: number
  /** Whole percents below 100, so that a survivor is never rounded away. */
  readonly percent: number
}

const KILLED = ["Killed", "Timeout"]
const SURVIVED = ["Survived", "NoCoverage"]

const count = (mutants: ReadonlyArray<Mutant>, statuses: ReadonlyArray<string>): number =>
  mutants.filter(({ status }) => statuses.includes(status)).length

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

export const mutantsOf = ({ files }: Report): ReadonlyArray<Mutant> =>
  Object.values(files).flatMap(({ mutants }) => mutants)

/** Returns the text that a mutant replaces. Lines and columns count from 1. */
const replaced = (source: string, { end, start }: Mutant["location"]): string => {
  const lines = source.split("\n").slice(start.line - 1, end.line)
  const last = lines.length - 1
  lines[last] = (lines[last] ?? "").slice(0, end.column - 1)
  lines[0] = (lines[0] ?? "").slice(start.column - 1)
  return lines.join(" ")
}

const MOST_CHARACTERS = 70

const short = (text: string): string => {
  const oneLine = text.replaceAll(/\s+/g, " ")
  return oneLine.length > MOST_CHARACTERS ? `${oneLine.slice(0, MOST_CHARACTERS - 1)}…` : oneLine
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
        const change = `${short(replaced(source, location))} → ${short(replacement)}`
        return `${file}:${location.start.line}  ${mutatorName}${REMARKS[status] ?? ""}: ${change}`
      })
  )
