import type { Release } from "@rollcall/api"
import type { ValueType } from "./ValueType.ts"

/** The names that people write a setting by: its flag, and its path in the component's configuration file. */
export interface SettingNames {
  readonly flag?: string
  readonly path?: string
}

/** One setting of a component. */
export interface Setting<A, Initial extends A | undefined = A | undefined> extends SettingNames {
  readonly type: ValueType<A>
  /** What a component of a release goes by where nothing is set; undefined: nothing. */
  readonly initial: (release: Release) => Initial
}

/**
 * The settings of a component, by the names that the code knows them by. A table, and not a Schema of the whole, because each has
 * up to three names (key, flag, path) and two spellings (of a file, of a flag); the values themselves are Schemas.
 */
export interface SettingsTable {
  // biome-ignore lint/suspicious/noExplicitAny: a table holds settings of any type, and a Schema is invariant in its own
  readonly [key: string]: Setting<any, any>
}

/** What is set, by key: all may be left out. */
export type Given<Table extends SettingsTable> = {
  readonly [Key in keyof Table]?: Table[Key] extends Setting<infer A, infer _> ? A : never
}

/** What a component goes by: what is set, and else the release's defaults. */
export type InEffect<Table extends SettingsTable> = {
  readonly [Key in keyof Table]: Table[Key] extends Setting<infer A, infer Initial> ? A | Initial : never
}

/** What is set or in effect; undefined is as if it were left out. */
export type Values<Table extends SettingsTable> = {
  readonly [Key in keyof Table]?: (Table[Key] extends Setting<infer A, infer _> ? A : never) | undefined
}

const unset = () => undefined

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

/** The part of what is set that a table knows. */
export const pickSettings = <Table extends SettingsTable>(table: Table, given: Given<Table>): Given<Table> =>
  Object.fromEntries(
    Object.keys(table).flatMap((key) => (given[key] === undefined ? [] : [[key, given[key]]]))
  ) as Given<Table>

/** What is set, with a release's defaults for all else. */
export const settingsInEffect = <Table extends SettingsTable>(
  table: Table,
  given: Given<Table>,
  release: Release
): InEffect<Table> =>
  Object.fromEntries(
    Object.entries(table).map(([key, { initial }]) => [key, given[key] ?? initial(release)])
  ) as InEffect<Table>
