import type { KubeObject, TableColumnDefinition, TableRowCondition } from "@rollcall/api"
import { ageOf } from "@rollcall/api/printing"

/** What a row has to say: its cells, in the order of the columns, and whether the object is through with its work. */
export interface Printed {
  readonly cells: ReadonlyArray<unknown>
  readonly conditions?: ReadonlyArray<TableRowCondition>
}

/** How a kind appears in a table. */
export interface Printer {
  readonly columns: ReadonlyArray<TableColumnDefinition>
  row(object: KubeObject, nowMs: number): Printed
  /** The order of the rows; absent: as the objects come. */
  order?(left: KubeObject, right: KubeObject): number
}

export type ColumnType = "string" | "integer" | "number" | "boolean" | "date"

/** One column, and its cell for an object. */
export interface Column<A extends KubeObject> {
  readonly definition: TableColumnDefinition
  cell(object: A, nowMs: number): unknown
}

export const column = <A extends KubeObject>(
  name: string,
  type: ColumnType,
  description: string,
  cell: (object: A, nowMs: number) => unknown
): Column<A> => ({ definition: { name, type, format: "", description, priority: 0 }, cell })

/** A column of wide output. */
export const wide = <A extends KubeObject>(
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
  ({ metadata }) => metadata.creationTimestamp ?? "<unknown>"
)

/** A table whose cells follow from the object one by one. */
export const printer = <A extends KubeObject>(...columns: ReadonlyArray<Column<A>>): Printer => {
  const made: { readonly columns: Printer["columns"]; row(object: A, nowMs: number): Printed } = {
    columns: columns.map(({ definition }) => definition),
    row: (object, nowMs) => ({ cells: columns.map(({ cell }) => cell(object, nowMs)) })
  }
  return made
}

/** Labels as `kubectl` shows them: `a=1,b=2` in order, `<none>` without. */
export const labelsText = (labels: Readonly<Record<string, string>> | undefined): string =>
  Object.entries(labels ?? {})
    .map(([key, value]) => `${key}=${value}`)
    .toSorted()
    .join(",") || "<none>"

/** The first of a list and how many more there are: `a,b,c + 2 more...`. */
export const shortList = (items: ReadonlyArray<string>, limit: number): string => {
  const shown = items.slice(0, limit).join(",")
  return items.length > limit ? `${shown} + ${items.length - limit} more...` : shown
}
