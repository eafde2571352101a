import { type InvalidInput, invalid, loadScenarios, rehearse, type ScenarioResult } from "@rollcall/simulator"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"

/** What reading the files needs. */
export type Files = FileSystem.FileSystem | Path.Path

/** A rehearsal of the only scenario of some files. A value without functions, so that a thread can be sent it. */
export interface RehearsalJob {
  readonly files: ReadonlyArray<string>
  /** Overrides of fields of the scenario, in the form of --set: `spec.path=value`. */
  readonly set: ReadonlyArray<string>
  /** The seed of the random numbers; undefined selects the scenario's own. */
  readonly seed: number | undefined
  /** What the rehearsals are compared by, for an error message. */
  readonly compared: "releases" | "settings"
}

/** What a job results in: a value without functions, too. */
export interface Rehearsed {
  readonly name: string
  readonly description: string
  readonly warnings: ReadonlyArray<string>
  readonly result: ScenarioResult
}

/** Rehearses the only scenario of the files with overrides. Fails if the files hold no scenario or several. */
export const rehearseFiles = ({
  compared,
  files,
  seed,
  set
}: RehearsalJob): Effect.Effect<Rehearsed, InvalidInput, Files> =>
  Effect.gen(function* () {
    const [plan, second] = yield* loadScenarios(files, { set, seed })
    if (plan === undefined || second !== undefined) {
      return yield* invalid(files[0] ?? "", "", `holds several scenarios, expected one to compare ${compared} by`)
    }
    const { description, name, warnings } = plan
    return { name, description, warnings, result: yield* rehearse(plan) }
  })
