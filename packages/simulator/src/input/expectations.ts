import { parseDuration } from "@rollcall/api"
import { traceTypes } from "../trace/TraceEntry.ts"
import type { KnownNodes } from "./events.ts"
import { didYouMean, type Problem, show } from "./Problem.ts"
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

const windowProblems = (spec: Expectation): ReadonlyArray<readonly [string, string]> => {
  const ends = (["by", "until"] as const).filter((end) => spec[end] !== undefined)
  if (spec.unavailableSeconds !== undefined) {
    const first = spec.from === undefined ? ends[0] : "from"
    return first === undefined ? [] : [[first, "has no meaning for unavailableSeconds, which is of the whole run"]]
  }
  if (ends.length > 1) return [["until", "stands beside by, expected one of the two"]]
  return ends
    .filter((end) => (ms(spec.from) ?? 0) > (ms(spec[end]) ?? 0))
    .map((end) => ["from", `is later than ${end}, so that there is no time to look at`])
}

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
  found.push(...windowProblems(spec))
  const type = spec.trace?.type
  if (type !== undefined && !traceTypes.includes(String(type))) {
    found.push(["trace.type", `no trace entry has the type ${show(type)}${didYouMean(String(type), traceTypes)}`])
  }
  if (known.mayGrow) return found
  unknown("evictions.zone", "zone", spec.evictions?.zone, known.zones)
  unknown("zoneState.zone", "zone", spec.zoneState?.zone, known.zones)
  unknown("evictions.node", "node", spec.evictions?.node, known.names)
  unknown("condition.node", "node", spec.condition?.node, known.names)
  unknown("taint.node", "node", spec.taint?.node, known.names)
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
