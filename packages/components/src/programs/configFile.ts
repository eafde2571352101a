import { type InvalidInput, readConfig, type Setting, type SettingValues } from "@rollcall/input"
import { readDocuments } from "@rollcall/input/documents"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"

/** What a component's configuration file holds; undefined where none is named. */
export const valueOfFile = (file: string) =>
  file === "" ? Effect.succeed(undefined) : Effect.map(readDocuments(file), ([document]) => document?.value)

/** What such a value says of settings; what has no effect here is warned of by name. */
export const settingsIn = Effect.fnUntraced(function* (
  settings: ReadonlyArray<Setting>,
  file: string,
  value: unknown,
  warnings: Array<string> = []
) {
  const values = yield* Effect.fromResult(readConfig(settings, file, "", value, warnings))
  for (const warning of warnings) yield* Effect.logWarning(warning)
  return values
})

/** The settings of a component's configuration file. */
export const settingsOfFile = (
  settings: ReadonlyArray<Setting>,
  file: string
): Effect.Effect<SettingValues, InvalidInput, FileSystem.FileSystem> =>
  Effect.flatMap(valueOfFile(file), (value) => settingsIn(settings, file, value))
