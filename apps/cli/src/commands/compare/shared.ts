import { type Comparison, renderComparison, renderComparisonJson, type SettingComparison } from "@rollcall/report"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { invariantsViolated } from "../../InvariantsViolated.ts"
import { openOutput } from "../../output.ts"
import { Rehearsals } from "../../rehearsals/Rehearsals.ts"
import type { RehearsalJob } from "../../rehearsals/rehearseFiles.ts"

/** Rehearses a job. Prints its warnings unless they are in `printed`, to which it adds them. */
export const rehearseJob = Effect.fnUntraced(function* (job: RehearsalJob, printed: Set<string>) {
  const { description, name, result, warnings } = yield* (yield* Rehearsals).run(job)
  for (const warning of warnings) {
    if (printed.has(warning)) continue
    printed.add(warning)
    yield* Console.error(`rollcall: warning: ${warning}`)
  }
  if (result.bugs !== undefined) return yield* Effect.die(invariantsViolated(name, result.bugs))
  return { description, result }
})

/** Returns the layer of the flag --parallel for so many jobs: `count` at a time, or with 0 one for each processor. */
export const layerParallel = (count: number, jobs: number) =>
  Layer.unwrap(
    Effect.promise(async () => {
      const { availableParallelism } = await import("node:os")
      const { layerThreads } = await import("../../rehearsals/threads.ts")
      const { threadScript } = await import("../../rehearsals/threadScript.ts")
      return layerThreads({ count: Math.min(count || availableParallelism(), jobs), script: threadScript, jobs })
    })
  )

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
