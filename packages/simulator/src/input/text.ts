import type { InvalidInput } from "@rollcall/input"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as PlatformError from "effect/PlatformError"
import { type LoadOptions, loadScenarios } from "./load.ts"
import type { Plan } from "./Plan.ts"
import type { ScenarioDocument } from "./Scenario.ts"

export interface LoadTextOptions extends LoadOptions {
  /** The name under which messages speak of the text: `scenario.yaml`. */
  readonly name?: string
  /** Texts of the files that the scenario names: snapshots and manifests, by path from the scenario. */
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
 * Loads scenarios that are not in files: a text as it would stand in one (YAML or JSON, several documents allowed), or a
 * scenario as a value. As strict as `loadScenarios`.
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
