import { type Comparison, renderComparison, renderComparisonJson, type SettingComparison } from "@rollcall/report"
import { invalid, loadScenarios, rehearse } from "@rollcall/simulator"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { invariantsViolated } from "../../InvariantsViolated.ts"
import { openOutput } from "../../output.ts"

/** Rehearses the one scenario of these files, changed so. Warnings that have been `told` are not repeated. */
export const rehearseOne = Effect.fnUntraced(function* (
  files: ReadonlyArray<string>,
  set: ReadonlyArray<string>,
  seed: number | undefined,
  by: string,
  told: Set<string>
) {
  const [plan, second] = yield* loadScenarios(files, { set, seed })
  if (plan === undefined || second !== undefined) {
    return yield* invalid(files[0] ?? "", "", `holds several scenarios, expected one to compare ${by} by`)
  }
  for (const warning of plan.warnings) {
    if (told.has(warning)) continue
    told.add(warning)
    yield* Console.error(`rollcall: warning: ${warning}`)
  }
  const result = yield* rehearse(plan)
  if (result.bugs !== undefined) return yield* Effect.die(invariantsViolated(plan.name, result.bugs))
  return { description: plan.description, result }
})

export const writeComparison = Effect.fnUntraced(function* (
  comparison: Comparison | SettingComparison,
  format: "table" | "json",
  out: string | undefined,
  files: ReadonlyArray<string>
) {
  const output = yield* openOutput(out, files)
  yield* output.write(format === "json" ? renderComparisonJson(comparison) : renderComparison(comparison))
})
