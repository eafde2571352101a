import { parseDuration } from "@rollcall/api"
import type { KnownNodes } from "./events.ts"
import { didYouMean, type Problem } from "./Problem.ts"
import type { Expectation } from "./Scenario.ts"

/** An expectation with its window in virtual milliseconds. */
export interface PlannedExpectation {
  readonly spec: Expectation
  readonly byMs: number | undefined
  readonly fromMs: number | undefined
  readonly untilMs: number | undefined
}

const subjects = [
  "evictions",
  "ready",
  "unavailableSeconds",
  "condition",
  "taint",
  "zoneState",
  "pod",
  "trace"
] as const
const counted: ReadonlyArray<(typeof subjects)[number]> = ["evictions", "ready", "unavailableSeconds", "trace"]

const ms = (value: string | number | undefined): number | undefined =>
  value === undefined ? undefined : parseDuration(value)

const problemsOf = (spec: Expectation, known: KnownNodes): ReadonlyArray<readonly [string, string]> => {
  const given = subjects.filter((subject) => spec[subject] !== undefined)
  if (given.length !== 1) {
    const found = given.length === 0 ? "expects nothing" : `has ${given.join(" and ")}`
    return [["", `${found}, expected one of ${subjects.join(", ")}`]]
  }
  const found: Array<readonly [string, string]> = []
  const bounded = spec.min !== undefined || spec.max !== undefined
  const subject = given[0] ?? "trace"
  if (counted.includes(subject) && !bounded) found.push(["", `${subject} needs min or max`])
  if (!counted.includes(subject) && bounded)
    found.push([spec.min === undefined ? "max" : "min", `has no meaning for ${subject}`])
  const unknown = (path: string, what: string, name: string | undefined, names: ReadonlySet<string>) => {
    if (name !== undefined && !names.has(name))
      found.push([path, `no ${what} "${name}" in this cluster${didYouMean(name, names)}`])
  }
  for (const end of ["by", "until"] as const) {
    if ((ms(spec.from) ?? 0) > (ms(spec[end]) ?? Number.POSITIVE_INFINITY)) {
      found.push(["from", `is later than ${end}, so that there is no time to look at`])
    }
  }
  unknown("evictions.zone", "zone", spec.evictions?.zone, known.zones)
  unknown("zoneState.zone", "zone", spec.zoneState?.zone, known.zones)
  return found
}

/** Checks the expectations of a scenario. */
export const planExpectations = (
  file: string,
  expectations: ReadonlyArray<Expectation>,
  known: KnownNodes
): { readonly expectations: ReadonlyArray<PlannedExpectation>; readonly problems: ReadonlyArray<Problem> } => ({
  expectations: expectations.map((spec) => ({
    spec,
    byMs: ms(spec.by),
    fromMs: ms(spec.from),
    untilMs: ms(spec.until)
  })),
  problems: expectations.flatMap((spec, index) =>
    problemsOf(spec, known).map(([path, message]) => ({
      file,
      path: `spec.expect[${index}]${path === "" ? "" : `.${path}`}`,
      message
    }))
  )
})
