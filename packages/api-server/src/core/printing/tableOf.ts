import type { KubeObject, ListMeta, Table, TableRow } from "@rollcall/api"
import type { Printed, Printer } from "./Printer.ts"

/** The object in a row: none, its metadata, or the whole object. The request's `includeObject`. */
export type IncludeObject = "None" | "Metadata" | "Object"

export interface TableOptions {
  /** The list's own metadata; for one object, its resourceVersion. */
  readonly listMeta?: ListMeta
  /** Default: Metadata. */
  readonly includeObject?: IncludeObject
  /** The current time, for ages. */
  readonly nowMs: number
  /** A watch sends the columns with its first event only: afterwards the definitions are null. */
  readonly withoutColumns?: boolean
  /** Called for an object whose row cannot be made; absent: the error is thrown. */
  readonly onUnprintable?: (object: KubeObject, error: unknown) => void
}

/** A table on the wire; in a watch the columns may be omitted. */
export interface WireTable extends Omit<Table, "columnDefinitions"> {
  readonly columnDefinitions: Table["columnDefinitions"] | null
}

/** Returns an object's metadata as `PartialObjectMetadata` of `meta.k8s.io` in this version. */
export const partialObjectMetadata = ({ metadata }: KubeObject, version = "v1"): KubeObject => ({
  kind: "PartialObjectMetadata",
  apiVersion: `meta.k8s.io/${version}`,
  metadata
})

const included = (object: KubeObject, include: IncludeObject): unknown => {
  if (include === "Object") return object
  return include === "None" ? null : partialObjectMetadata(object)
}

/** Returns the row of an object that cannot be printed: only its name, the first column of all tables. */
const bareRow = ({ columns }: Printer, { metadata }: KubeObject): Printed => ({
  cells: columns.map((_, index) => (index === 0 ? (metadata.name ?? "") : null))
})

const printed = (printer: Printer, object: KubeObject, { nowMs, onUnprintable }: TableOptions): Printed => {
  if (onUnprintable === undefined) return printer.row(object, nowMs)
  try {
    return printer.row(object, nowMs)
  } catch (error) {
    onUnprintable(object, error)
    return bareRow(printer, object)
  }
}

const inOrder = ({ order }: Printer, objects: ReadonlyArray<KubeObject>, { onUnprintable }: TableOptions) => {
  const [first] = objects
  if (order === undefined || first === undefined) return objects
  if (onUnprintable === undefined) return objects.toSorted(order)
  try {
    return objects.toSorted(order)
  } catch (error) {
    // The order is optional, and it is unknown which object cannot be compared.
    onUnprintable(first, error)
    return objects
  }
}

/** A Table whose rows are made on demand. */
export interface LazyTable {
  /** Everything except its rows. */
  readonly head: Omit<WireTable, "rows">
  /** In the order of their rows. */
  readonly objects: ReadonlyArray<KubeObject>
  readonly rowOf: (object: KubeObject) => TableRow
}

/** As `tableOf`. */
export const lazyTableOf = (printer: Printer, objects: ReadonlyArray<KubeObject>, options: TableOptions): LazyTable => {
  const { includeObject = "Metadata", listMeta, withoutColumns } = options
  const only = objects.length === 1 ? objects[0] : undefined
  const { resourceVersion } = only?.metadata ?? {}
  const rowOf = (object: KubeObject): TableRow => {
    const { cells, conditions } = printed(printer, object, options)
    const row = { cells, object: included(object, includeObject) }
    return conditions === undefined ? row : { ...row, conditions }
  }
  const head = {
    kind: "Table",
    apiVersion: "meta.k8s.io/v1",
    metadata: listMeta ?? (resourceVersion === undefined ? {} : { resourceVersion }),
    columnDefinitions: withoutColumns === true ? null : printer.columns
  } as const
  return { head, objects: inOrder(printer, objects, options), rowOf }
}

/**
 * Returns objects as a Table: the response of GET, list, watch and writes to `Accept:
 * application/json;as=Table;v=v1;g=meta.k8s.io`. Upstream: apiserver/pkg/endpoints/handlers/response.go, asTable.
 */
export const tableOf = (printer: Printer, objects: ReadonlyArray<KubeObject>, options: TableOptions): WireTable => {
  const { head, objects: ordered, rowOf } = lazyTableOf(printer, objects, options)
  return { ...head, rows: ordered.map(rowOf) }
}
