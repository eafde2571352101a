import { isFields } from "@rollcall/api/values"

type Values = Readonly<Record<string, unknown>>

/** The entries of a map or struct, with its names as a list. */
export interface Entries {
  readonly values: Values
  readonly names: ReadonlyArray<string>
}

export const noValues: Values = {}

export const entriesOf = (values: Values): Entries => ({ values, names: Object.keys(values) })

export const noEntries: Entries = { values: noValues, names: [] }

/** Whether a struct or map is absent, null or has no members. */
export const isEmptyMap = (value: unknown): boolean => !isFields(value) || Object.keys(value).length === 0
