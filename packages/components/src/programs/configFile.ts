import type { InvalidInput, Setting, SettingValues } from "@rollcall/simulator/input"
import { readConfig, readDocuments } from "@rollcall/simulator/world"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"

/** What a component's configuration file says of its settings; what has no effect here is warned of by name. */
export const settingsOfFile = (
  settings: ReadonlyArray<Setting>,
  file: string
): Effect.Effect<SettingValues, InvalidInput, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    if (file === "") return {}
    const warnings: Array<string> = []
    const [document] = yield* readDocuments(file)
    const values = yield* Effect.fromResult(readConfig(settings, file, "", document?.value, warnings))
    for (const warning of warnings) yield* Effect.logWarning(warning)
    return values
  })
