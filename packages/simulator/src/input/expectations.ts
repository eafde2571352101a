import { parseDuration } from "@rollcall/api"
import { type Problem, problemAt, unknownAmong, unknownName, type Wrong } from "@rollcall/input"
import type { KnownNodes } from "./events.ts"
import type { Expectation } from "./Scenario.ts"
import { traceMatchProblems } from "./traceMatch.ts"
import { type KnownObjects, workloadProblems } from "./workloadNames.ts"

/** An expectation with its window in virtual milliseconds; a limit that it does not have is undefined. */
export interface PlannedExpectation {
  readonly spec: Expectation
  readonly atMs: number | undefined
  readonly byMs: number | undefined
  readonly fromMs: number | undefined
  readonly untilMs: number | undefined
}

/** What an expectation can be about: each has exactly one of these fields. */
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
/** The subjects that are numbers, which `min` and `max` bound. */
const numericSubjects: ReadonlyArray<(typeof subjects)[number]> = ["evictions", "ready", "unavailableSeconds", "trace"]

const milliseconds = (value: string | number | undefined): number | undefined =>
  value === undefined ? undefined : parseDuration(value)

const windowProblems = (spec: Expectation): ReadonlyArray<readonly [string, string | Wrong]> => {
  if (spec.at !== undefined) {
    const counting = numericSubjects.find((subject) => subject !== "ready" && spec[subject] !== undefined)
    if (counting !== undefined) return [["at", `has no meaning for ${counting}, which is counted over time`]]
    const beside = (["from", "by", "until"] as const).find((other) => spec[other] !== undefined)
    return beside === undefined ? [] : [[beside, "stands beside at, which is one moment"]]
  }
  const ends = (["by", "until"] as const).filter((end) => spec[end] !== undefined)
  if (spec.unavailableSeconds !== undefined) {
    const first = spec.from === undefined ? ends[0] : "from"
    return first === undefined ? [] : [[first, "has no meaning for unavailableSeconds, which is of the whole run"]]
  }
  if (ends.length > 1) return [["until", "stands beside by, expected one of the two"]]
  return ends
    .filter((end) => (milliseconds(spec.from) ?? 0) > (milliseconds(spec[end]) ?? 0))
    .map((end) => ["from", `is later than ${end}, so that there is no time to look at`])
}

/** The node conditions that Kubernetes sets. A Node may have others, so only a name that is nearly one of these is a problem. */
const conditionTypes = ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure", "NetworkUnavailable"]

/** Returns the problems of one expectation: the path of a field within it, and what is wrong there. */
const problemsOf = (
  spec: Expectation,
  known: KnownNodes,
  objects: KnownObjects | undefined
): ReadonlyArray<readonly [string, string | Wrong]> => {
  const given = subjects.filter((subject) => spec[subject] !== undefined)
  if (given.length !== 1) {
    const found = given.length === 0 ? "expects nothing" : `has ${given.join(" and ")}`
    return [["", `${found}, expected one of ${subjects.join(", ")}`]]
  }
  const found: Array<readonly [string, string | Wrong]> = []
  const isBounded = spec.min !== undefined || spec.max !== undefined
  const subject = given[0] ?? "trace"
  if (numericSubjects.includes(subject) && !isBounded) found.push(["", `${subject} needs min or max`])
  if (!numericSubjects.includes(subject) && isBounded)
    found.push([spec.min === undefined ? "max" : "min", `has no meaning for ${subject}`])
  const unknown = (path: string, what: string, name: string | undefined, names: ReadonlySet<string>) => {
    if (name !== undefined && !names.has(name))
      found.push([path, unknownAmong(`no ${what} "${name}" in this cluster`, name, [...names])])
  }
  found.push(...windowProblems(spec))
  if (spec.min !== undefined && spec.max !== undefined && spec.min > spec.max) {
    found.push(["min", `is more than max, so that nothing can be both: ${spec.min} > ${spec.max}`])
  }
  const type = spec.condition?.type
  if (type !== undefined && !conditionTypes.includes(type)) {
    const wrong = unknownName(`no node has the condition "${type}"`, type, conditionTypes)
    if (wrong.nearest !== undefined) found.push(["condition.type", wrong])
  }
  for (const [path, wrong] of spec.trace === undefined ? [] : traceMatchProblems(spec.trace)) {
    found.push([`trace.${path}`, wrong])
  }
  for (const subject of ["ready", "unavailableSeconds"] as const) {
    const reference = spec[subject]
    if (reference === undefined) continue
    for (const [path, wrong] of workloadProblems(reference, objects)) found.push([`${subject}.${path}`, wrong])
  }
  if (known.mayGrow) return found
  unknown("evictions.zone", "zone", spec.evictions?.zone, known.zones)
  unknown("zoneState.zone", "zone", spec.zoneState?.zone, known.zones)
  unknown("evictions.node", "node", spec.evictions?.node, known.names)
  unknown("condition.node", "node", spec.condition?.node, known.names)
  unknown("taint.node", "node", spec.taint?.node, known.names)
  return found
}

/** Checks the expectations of a scenario, and converts their windows. */
export const planExpectations = (
  file: string,
  expectations: ReadonlyArray<Expectation>,
  known: KnownNodes,
  /** The objects of the scenario; undefined if events may create more, so that their names cannot be checked. */
  objects?: KnownObjects
): { readonly expectations: ReadonlyArray<PlannedExpectation>; readonly problems: ReadonlyArray<Problem> } => ({
  expectations: expectations.map((spec) => ({
    spec,
    atMs: milliseconds(spec.at),
    byMs: milliseconds(spec.by),
    fromMs: milliseconds(spec.from),
    untilMs: milliseconds(spec.until)
  })),
  problems: expectations.flatMap((spec, index) =>
    problemsOf(spec, known, objects).map(([path, wrong]) =>
      problemAt(file, `spec.expect[${index}]${path === "" ? "" : `.${path}`}`, wrong)
    )
  )
})
