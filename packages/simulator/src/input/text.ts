import type { InvalidInput } from "@rollcall/input"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as PlatformError from "effect/PlatformError"
import { type LoadOptions, loadScenarios } from "./load.ts"
import type { Plan } from "./Plan.ts"
import type { ScenarioDocument } from "./Scenario.ts"

export interface LoadTextOptions extends LoadOptions {
  /** The file name of the text in messages (default: `scenario.yaml`). */
  readonly name?: string
  /** The texts of the snapshots and manifests that the scenario names, by their path from the scenario. */
  readonly files?: Readonly<Record<string, string>>
}

const notFound = (path: string) =>
  Effect.fail(
    PlatformError.systemError({
      _tag: "NotFound",
      module: "FileSystem",
      method: "readFileString",
      pathOrDescriptor: path
    })
  )

/**
 * Loads scenarios that are not in files: the text of a file (YAML or JSON, with one or several documents), or a scenario as a value. It
 * makes the same checks as `loadScenarios`, and reads no files.
 */
export const loadScenarioText = (
  scenario: string | ScenarioDocument,
  { files = {}, name = "scenario.yaml", ...options }: LoadTextOptions = {}
): Effect.Effect<ReadonlyArray<Plan>, InvalidInput> => {
  const texts = new Map([
    ...Object.entries(files),
    [name, typeof scenario === "string" ? scenario : JSON.stringify(scenario)]
  ])
  const load = Effect.gen(function* () {
    const path = yield* Path.Path
    const found = new Map([...texts].map(([file, text]) => [path.resolve(file), text]))
    const inMemory = FileSystem.makeNoop({
      readFileString: (file) => {
        const text = found.get(path.resolve(file))
        return text === undefined ? notFound(file) : Effect.succeed(text)
      }
    })
    return yield* loadScenarios([name], options).pipe(Effect.provideService(FileSystem.FileSystem, inMemory))
  })
  return Effect.provide(load, Path.layer)
}
