import type { Release } from "@rollcall/api"
import type { ValueType } from "./ValueType.ts"

/** The names of a setting for users: its flag without `--`, and its path in the component's configuration file. */
export interface SettingNames {
  readonly flag?: string
  readonly path?: string
}

/** One setting of a component. */
export interface Setting<A, Initial extends A | undefined = A | undefined> extends SettingNames {
  readonly type: ValueType<A>
  /** The default of a release; undefined if there is none. */
  readonly initial: (release: Release) => Initial
}

/**
 * The settings of a component by their names in the code. It is a table and not one Schema, because each setting has up
 * to three names (key, flag, path) and two spellings (in a file, in a flag); the values themselves are Schemas.
 */
export interface SettingsTable {
  // biome-ignore lint/suspicious/noExplicitAny: a table holds settings of any type, and a Schema is invariant in its own
  readonly [key: string]: Setting<any, any>
}

/** The values that are set, by key. */
export type Given<Table extends SettingsTable> = {
  readonly [Key in keyof Table]?: Table[Key] extends Setting<infer A, infer _> ? A : never
}

/** The value of each setting: the one that is set, or the release's default. */
export type InEffect<Table extends SettingsTable> = {
  readonly [Key in keyof Table]: Table[Key] extends Setting<infer A, infer Initial> ? A | Initial : never
}

/** Values by key; undefined means the same as absent. */
export type Values<Table extends SettingsTable> = {
  readonly [Key in keyof Table]?: (Table[Key] extends Setting<infer A, infer _> ? A : never) | undefined
}

const unset = () => undefined

/** Makes a setting; `initial` returns its default in a release. */
export function setting<A>(type: ValueType<A>, names: SettingNames): Setting<A, undefined>
export function setting<A, Initial extends A | undefined>(
  type: ValueType<A>,
  names: SettingNames,
  initial: (release: Release) => Initial
): Setting<A, Initial>
export function setting<A>(
  type: ValueType<A>,
  names: SettingNames,
  initial: (release: Release) => A | undefined = unset
): Setting<A> {
  return { ...names, type, initial }
}

/** Returns the values whose settings are in the table. */
export const pickSettings = <Table extends SettingsTable>(table: Table, given: Given<Table>): Given<Table> =>
  Object.fromEntries(
    Object.keys(table).flatMap((key) => (given[key] === undefined ? [] : [[key, given[key]]]))
  ) as Given<Table>

/** Returns the values that are set, and a release's defaults for the other settings. */
export const settingsInEffect = <Table extends SettingsTable>(
  table: Table,
  given: Given<Table>,
  release: Release
): InEffect<Table> =>
  Object.fromEntries(
    Object.entries(table).map(([key, { initial }]) => [key, given[key] ?? initial(release)])
  ) as InEffect<Table>
