import { checkStrictly, InvalidInput, invalid, missing, type Problem, wrongChoice, wrongValue } from "@rollcall/input"
import type { Document } from "@rollcall/input/documents"
import { resultVersion, type ScenarioResult, traceTypes } from "@rollcall/simulator/result"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type { Comparison, SettingComparison } from "../compare/comparison.ts"
import {
  EventRecordSchema,
  ReleaseComparisonSchema,
  ResultSchema,
  SettingComparisonSchema,
  ZoneMetricsSchema
} from "./resultSchemas.ts"
import { traceSchemas } from "./traceSchemas.ts"

/** The input of a report: the output of `rollcall simulate` or `rollcall compare` with `-o json`. */
export type Reported = ScenarioResult | Comparison | SettingComparison

const kinds = ["ScenarioResult", "ReleaseComparison", "SettingComparison"]

/** Checks a value of a file; `base` is its path, for messages. */
type Check = (file: string, value: unknown, base: string) => Result.Result<unknown, InvalidInput>

const checkByType = Object.fromEntries(
  Object.entries(traceSchemas).map(([type, schema]) => [type, checkStrictly(schema)])
)

const checkEntry: Check = (file, entry, base) => {
  const type = Predicate.isReadonlyObject(entry) ? entry.type : undefined
  const check = typeof type === "string" && Object.hasOwn(checkByType, type) ? checkByType[type] : undefined
  if (check !== undefined) return check(file, entry, base)
  if (!Predicate.isReadonlyObject(entry)) return Result.fail(invalid(file, base, wrongValue(entry, "a trace entry")))
  return Result.fail(invalid(file, `${base}.type`, wrongValue(type, "a type of trace entries", { names: traceTypes })))
}

/** The most problems that one error lists. */
const MAX_PROBLEMS = 20

/** Returns the first problems in the items of a list. */
const itemProblems = (
  file: string,
  items: ReadonlyArray<unknown>,
  base: string,
  check: Check
): ReadonlyArray<Problem> => {
  const problems: Array<Problem> = []
  for (let index = 0; index < items.length && problems.length <= MAX_PROBLEMS; index++) {
    const checked = check(file, items[index], `${base}[${index}]`)
    if (Result.isFailure(checked)) problems.push(...checked.failure.problems)
  }
  return problems
}

const failedWith = (file: string, problems: ReadonlyArray<Problem>): Result.Result<never, InvalidInput> =>
  Result.fail(
    new InvalidInput({
      problems:
        problems.length <= MAX_PROBLEMS
          ? problems
          : [...problems.slice(0, MAX_PROBLEMS), { file, path: "", message: "has more problems than these" }]
    })
  )

const checkHead = checkStrictly(ResultSchema)
const checkEvent = checkStrictly(EventRecordSchema)
const checkMetrics = checkStrictly(ZoneMetricsSchema)
const checkReleases = checkStrictly(ReleaseComparisonSchema)
const checkSettings = checkStrictly(SettingComparisonSchema)

const joinPath = (base: string, path: string): string => (base === "" ? path : `${base}.${path}`)

const checkResult = ({ file, path, value }: Document): Result.Result<unknown, InvalidInput> => {
  if (Predicate.isReadonlyObject(value) && !("context" in value)) {
    const wrong = missing("; results of earlier versions lack it: rehearse the scenario again")
    return Result.fail(invalid(file, joinPath(path, "context"), wrong))
  }
  const head = checkHead(file, value, path)
  if (Result.isFailure(head)) return failedWith(file, head.failure.problems)
  const { events, metrics, trace } = head.success
  const problems = [
    ...itemProblems(file, trace, joinPath(path, "trace"), checkEntry),
    ...itemProblems(file, events, joinPath(path, "events"), checkEvent),
    ...itemProblems(file, metrics, joinPath(path, "metrics"), checkMetrics)
  ]
  return problems.length === 0 ? head : failedWith(file, problems)
}

/** Returns the kind of a document. Fails if it is no result or comparison of this version. */
const checkKind = ({ file, path, value }: Document): Result.Result<string, InvalidInput> => {
  if (!Predicate.isReadonlyObject(value))
    return Result.fail(invalid(file, path, wrongValue(value, "a result or a comparison")))
  const { apiVersion, kind } = value
  if (typeof kind !== "string" || !kinds.includes(kind)) {
    const wrong =
      kind === "Scenario"
        ? wrongValue(kind, `one of ${kinds.join(", ")}; rehearse it first: rollcall simulate FILE -o json`)
        : wrongChoice(kind, kinds)
    return Result.fail(invalid(file, joinPath(path, "kind"), wrong))
  }
  if (apiVersion === resultVersion) return Result.succeed(kind)
  const expected = `"${resultVersion}": another version of rollcall wrote it; report on it with that one`
  return Result.fail(invalid(file, joinPath(path, "apiVersion"), wrongValue(apiVersion, expected)))
}

/**
 * Checks a saved result or comparison strictly: every field must be present with its type, and no other field. Returns the document's
 * own value, so that its fields keep their order.
 */
export const checkReported = (document: Document): Result.Result<Reported, InvalidInput> => {
  const kind = checkKind(document)
  if (Result.isFailure(kind)) return Result.fail(kind.failure)
  const { file, path, value } = document
  const checked =
    kind.success === "ScenarioResult"
      ? checkResult(document)
      : kind.success === "ReleaseComparison"
        ? checkReleases(file, value, path)
        : checkSettings(file, value, path)
  return Result.map(checked, () => value as Reported)
}
