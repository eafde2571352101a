import type { KubeObject, TableColumnDefinition, TableRowCondition } from "@rollcall/api"
import { ageOf } from "@rollcall/api/printing"

/** The content of a row: its cells in column order, and conditions by which kubectl recognizes completed objects. */
export interface PrintedRow {
  readonly cells: ReadonlyArray<unknown>
  readonly conditions?: ReadonlyArray<TableRowCondition>
}

/** Prints the objects of a kind as a table. */
export interface Printer {
  readonly columns: ReadonlyArray<TableColumnDefinition>
  /** Returns the row of an object. `nowMs` is the time for ages, in milliseconds since the Unix epoch. */
  row(object: KubeObject, nowMs: number): PrintedRow
  /** Compares objects for the order of the rows. Without it the rows have the order of the objects. */
  order?(left: KubeObject, right: KubeObject): number
  /** Whether the rows of an empty list are null: Go appends them to a slice that is nil. */
  readonly hasNullRows?: boolean
}

export type ColumnType = "string" | "integer" | "number" | "boolean" | "date"

/** One column, and its cell for an object. */
export interface Column<A extends KubeObject> {
  readonly definition: TableColumnDefinition
  cell(object: A, nowMs: number): unknown
}

/** Makes a column. */
export const column = <A extends KubeObject>(
  name: string,
  type: ColumnType,
  description: string,
  cell: (object: A, nowMs: number) => unknown,
  format = ""
): Column<A> => ({ definition: { name, type, format, description, priority: 0 }, cell })

/** Makes a column that only `kubectl get -o wide` shows. */
export const wideColumn = <A extends KubeObject>(
  name: string,
  type: ColumnType,
  description: string,
  cell: (object: A, nowMs: number) => unknown
): Column<A> => ({ definition: { name, type, format: "", description, priority: 1 }, cell })

export const nameColumn: Column<KubeObject> = {
  definition: {
    name: "Name",
    type: "string",
    format: "name",
    description: "What the object is called; unique among the objects of its kind in a namespace.",
    priority: 0
  },
  cell: ({ metadata }) => metadata.name ?? ""
}

export const ageColumn: Column<KubeObject> = column(
  "Age",
  "string",
  "How long ago the object was created.",
  (object, nowMs) => ageOf(object.metadata.creationTimestamp, nowMs)
)

export const createdAtColumn: Column<KubeObject> = column(
  "Created At",
  "date",
  "When the object was created.",
  // A bookmark has none: Go prints the time of its zero value.
  ({ metadata }) => metadata.creationTimestamp ?? "0001-01-01T00:00:00Z"
)

/** Makes a printer whose cells are computed column by column. */
export const printer = <A extends KubeObject>(...columns: ReadonlyArray<Column<A>>): Printer => {
  const made: { readonly columns: Printer["columns"]; row(object: A, nowMs: number): PrintedRow } = {
    columns: columns.map(({ definition }) => definition),
    row: (object, nowMs) => ({ cells: columns.map(({ cell }) => cell(object, nowMs)) })
  }
  return made
}

/** The printer of kinds without their own: name and creation time. Upstream: rest.NewDefaultTableConvertor. */
export const defaultTable: Printer = { ...printer(nameColumn, createdAtColumn), hasNullRows: true }

/** Formats labels as `kubectl` does: `a=1,b=2` in order, `<none>` without any. */
export const labelsText = (labels: Readonly<Record<string, string>> | undefined): string =>
  Object.entries(labels ?? {})
    .map(([key, value]) => `${key}=${value}`)
    .toSorted()
    .join(",") || "<none>"

/** Formats the first items of a list and the number of further ones: `a,b,c + 2 more...`. */
export const shortList = (items: ReadonlyArray<string>, limit: number): string => {
  const shown = items.slice(0, limit).join(",")
  return items.length > limit ? `${shown} + ${items.length - limit} more...` : shown
}
