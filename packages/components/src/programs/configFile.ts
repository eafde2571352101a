import { type Given, type InvalidInput, readConfig, type SettingsTable } from "@rollcall/input"
import { readDocuments } from "@rollcall/input/documents"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"

/** Reads the configuration file of a component; undefined if the name is empty. */
export const readConfigFile = (file: string) =>
  file === "" ? Effect.succeed(undefined) : Effect.map(readDocuments(file), ([document]) => document?.value)

/** Reads settings from a configuration file, and logs a warning for each field without effect. */
export const readSettings = Effect.fnUntraced(function* <Table extends SettingsTable>(
  table: Table,
  file: string,
  value: unknown,
  warnings: Array<string> = []
) {
  const given = yield* Effect.fromResult(readConfig(table, { file, path: "" }, value, warnings))
  for (const warning of warnings) yield* Effect.logWarning(warning)
  return given
})

/** Reads the settings of a component's configuration file. */
export const readSettingsFile = <Table extends SettingsTable>(
  table: Table,
  file: string
): Effect.Effect<Given<Table>, InvalidInput, FileSystem.FileSystem> =>
  Effect.flatMap(readConfigFile(file), (value) => readSettings(table, file, value))
