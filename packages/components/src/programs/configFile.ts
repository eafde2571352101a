import { type Given, type InvalidInput, readConfig, type SettingsTable } from "@rollcall/input"
import { readDocuments } from "@rollcall/input/documents"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"

/** What a component's configuration file holds; undefined where none is named. */
export const valueOfFile = (file: string) =>
  file === "" ? Effect.succeed(undefined) : Effect.map(readDocuments(file), ([document]) => document?.value)

/** What such a value says of settings; what has no effect here is warned of by name. */
export const settingsIn = Effect.fnUntraced(function* <Table extends SettingsTable>(
  table: Table,
  file: string,
  value: unknown,
  warnings: Array<string> = []
) {
  const given = yield* Effect.fromResult(readConfig(table, { file, path: "" }, value, warnings))
  for (const warning of warnings) yield* Effect.logWarning(warning)
  return given
})

/** The settings of a component's configuration file. */
export const settingsOfFile = <Table extends SettingsTable>(
  table: Table,
  file: string
): Effect.Effect<Given<Table>, InvalidInput, FileSystem.FileSystem> =>
  Effect.flatMap(valueOfFile(file), (value) => settingsIn(table, file, value))
