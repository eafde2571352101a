import * as Schema from "effect/Schema"
import type { Setting, SettingsTable, Values } from "./Setting.ts"

/** A value as Go's components print it. */
export const writtenValue = ({ type }: Setting<unknown>, value: unknown): string | number | boolean =>
  Schema.encodeUnknownSync(type.schema)(value)

/** Settings as a configuration file has them; those without a place in it are left out. `nameOf` renames its fields. */
export const writeConfig = <Table extends SettingsTable>(
  table: Table,
  values: Values<Table>,
  nameOf: (field: string) => string = (field) => field
): Readonly<Record<string, unknown>> => {
  const config: Record<string, unknown> = {}
  for (const [key, one] of Object.entries(table)) {
    const value = values[key]
    if (one.path === undefined || value === undefined) continue
    const fields = one.path.split(".").map(nameOf)
    let place = config
    for (const field of fields.slice(0, -1)) {
      place[field] ??= {}
      place = place[field] as Record<string, unknown>
    }
    place[fields.at(-1) ?? ""] = writtenValue(one, value)
  }
  return config
}

/** Settings by their flags; those without one are left out. */
export const flagValuesOf = <Table extends SettingsTable>(
  table: Table,
  values: Values<Table>
): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(table).flatMap(([key, { flag }]) =>
      flag === undefined || values[key] === undefined ? [] : [[flag, values[key]]]
    )
  )
