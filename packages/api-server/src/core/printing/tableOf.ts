import type { KubeObject, ListMeta, Table, TableRow } from "@rollcall/api"
import type { Printed, Printer } from "./Printer.ts"

/** What comes with a row: nothing, the object's metadata, or the object. The request's `includeObject`. */
export type IncludeObject = "None" | "Metadata" | "Object"

export interface TableOptions {
  /** The list's own metadata; of one object, its resourceVersion. */
  readonly listMeta?: ListMeta
  /** Metadata when not given. */
  readonly includeObject?: IncludeObject
  /** The present, for ages. */
  readonly nowMs: number
  /** A watch tells the columns with its first event only: the definitions are null from then on. */
  readonly withoutColumns?: boolean
  /** Told of an object of which no row can be made; absent: what is thrown is thrown on. */
  readonly onOdd?: (object: KubeObject, error: unknown) => void
}

/** A table on the wire, where a watch may have left out the columns. */
export interface WireTable extends Omit<Table, "columnDefinitions"> {
  readonly columnDefinitions: Table["columnDefinitions"] | null
}

/** An object's metadata, as `PartialObjectMetadata` of `meta.k8s.io` in this version. */
export const partialObjectMetadata = ({ metadata }: KubeObject, version = "v1"): KubeObject => ({
  kind: "PartialObjectMetadata",
  apiVersion: `meta.k8s.io/${version}`,
  metadata
})

const included = (object: KubeObject, include: IncludeObject): unknown => {
  if (include === "Object") return object
  return include === "None" ? null : partialObjectMetadata(object)
}

/** The row of an object that cannot be printed: its name, as all tables begin with it, and nothing else. */
const bareRow = ({ columns }: Printer, { metadata }: KubeObject): Printed => ({
  cells: columns.map((_, index) => (index === 0 ? (metadata.name ?? "") : null))
})

const printed = (printer: Printer, object: KubeObject, { nowMs, onOdd }: TableOptions): Printed => {
  if (onOdd === undefined) return printer.row(object, nowMs)
  try {
    return printer.row(object, nowMs)
  } catch (error) {
    onOdd(object, error)
    return bareRow(printer, object)
  }
}

const inOrder = ({ order }: Printer, objects: ReadonlyArray<KubeObject>, { onOdd }: TableOptions) => {
  const [first] = objects
  if (order === undefined || first === undefined) return objects
  if (onOdd === undefined) return objects.toSorted(order)
  try {
    return objects.toSorted(order)
  } catch (error) {
    // The order is a courtesy; which of them has none is not known.
    onOdd(first, error)
    return objects
  }
}

/** A Table whose rows are made when they are asked for. */
export interface LazyTable {
  /** All of it but its rows. */
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
 * Objects as a Table: what GET, list, watch and writes answer to `Accept: application/json;as=Table;v=v1;g=meta.k8s.io`.
 * Upstream: apiserver/pkg/endpoints/handlers/response.go, asTable.
 */
export const tableOf = (printer: Printer, objects: ReadonlyArray<KubeObject>, options: TableOptions): WireTable => {
  const { head, objects: ordered, rowOf } = lazyTableOf(printer, objects, options)
  return { ...head, rows: ordered.map(rowOf) }
}
