import { type Comparison, renderComparison, renderComparisonJson, type SettingComparison } from "@rollcall/report"
import { invalid, loadScenarios, rehearse } from "@rollcall/simulator"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { invariantsViolated } from "../../InvariantsViolated.ts"
import { openOutput } from "../../output.ts"

interface RehearseOptions {
  readonly files: ReadonlyArray<string>
  /** Overrides of fields of the scenario, in the form of --set: `spec.path=value`. */
  readonly set: ReadonlyArray<string>
  /** The seed of the random numbers; undefined selects the scenario's own. */
  readonly seed: number | undefined
  /** What the comparison compares, for an error message. */
  readonly compared: "releases" | "settings"
  /** The warnings that earlier runs of the comparison printed. They are not printed again; new ones are added. */
  readonly printedWarnings: Set<string>
}

/** Rehearses the only scenario of the files with overrides. Fails if the files hold no scenario or several. */
export const rehearseWith = Effect.fnUntraced(function* ({
  compared,
  files,
  printedWarnings,
  seed,
  set
}: RehearseOptions) {
  const [plan, second] = yield* loadScenarios(files, { set, seed })
  if (plan === undefined || second !== undefined) {
    return yield* invalid(files[0] ?? "", "", `holds several scenarios, expected one to compare ${compared} by`)
  }
  for (const warning of plan.warnings) {
    if (printedWarnings.has(warning)) continue
    printedWarnings.add(warning)
    yield* Console.error(`rollcall: warning: ${warning}`)
  }
  const result = yield* rehearse(plan)
  if (result.bugs !== undefined) return yield* Effect.die(invariantsViolated(plan.name, result.bugs))
  return { description: plan.description, result }
})

/** Writes a comparison to the file `out`, or to standard output. Fails if `out` is one of the input files. */
export const writeComparison = Effect.fnUntraced(function* (
  comparison: Comparison | SettingComparison,
  format: "table" | "json",
  out: string | undefined,
  files: ReadonlyArray<string>
) {
  const output = yield* openOutput(out, files)
  yield* output.write(format === "json" ? renderComparisonJson(comparison) : renderComparison(comparison))
})
