import * as Schema from "effect/Schema"
import type { Setting, SettingsTable, Values } from "./Setting.ts"

/** Formats a value as Go's components print it. */
export const writtenValue = ({ type }: Setting<unknown>, value: unknown): string | number | boolean =>
  Schema.encodeUnknownSync(type.schema)(value)

/**
 * Makes the object of a configuration file from settings; those without a path are left out. `nameOf` renames fields.
 */
export const writeConfig = <Table extends SettingsTable>(
  table: Table,
  values: Values<Table>,
  nameOf: (field: string) => string = (field) => field
): Readonly<Record<string, unknown>> => {
  const config: Record<string, unknown> = {}
  for (const [key, setting] of Object.entries(table)) {
    const value = values[key]
    if (setting.path === undefined || value === undefined) continue
    const fields = setting.path.split(".").map(nameOf)
    let target = config
    for (const field of fields.slice(0, -1)) {
      target[field] ??= {}
      target = target[field] as Record<string, unknown>
    }
    target[fields.at(-1) ?? ""] = writtenValue(setting, value)
  }
  return config
}

/** Returns settings by the names of their flags; those without a flag are left out. */
export const flagValuesOf = <Table extends SettingsTable>(
  table: Table,
  values: Values<Table>
): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(table).flatMap(([key, { flag }]) =>
      flag === undefined || values[key] === undefined ? [] : [[flag, values[key]]]
    )
  )
