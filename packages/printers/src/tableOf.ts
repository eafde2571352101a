import {
  annotationRollbackTo,
  annotationTemplateGeneration,
  type KubeObject,
  type ListMeta,
  type Table,
  type TableRow
} from "@rollcall/api"
import { withNulls } from "@rollcall/api/wire"
import type { PrintedRow, Printer } from "./Printer.ts"

/** What a row contains of its object, by the request's parameter `includeObject`: nothing, its metadata, or all of it. */
export type IncludeObject = "None" | "Metadata" | "Object"

export interface TableOptions {
  /** The list's own metadata; for one object, its resourceVersion. */
  readonly listMeta?: ListMeta
  /** Default: Metadata. */
  readonly includeObject?: IncludeObject
  /** The version of `meta.k8s.io` of the table and of the metadata in its rows. */
  readonly version?: string
  /** The current time for ages, in milliseconds since the Unix epoch. */
  readonly nowMs: number
  /** Whether the column definitions are null: a watch sends them with its first event only. */
  readonly withoutColumns?: boolean
  /** Called for an object whose row cannot be made. Without it, the error is thrown. */
  readonly onUnprintable?: (object: KubeObject, error: unknown) => void
}

/** A table on the wire; in a watch the columns may be omitted. */
export interface WireTable extends Omit<Table, "apiVersion" | "columnDefinitions"> {
  readonly apiVersion: string
  readonly columnDefinitions: Table["columnDefinitions"] | null
}

/** The annotations that the internal form of a kind has as fields. */
const convertedAnnotations: Readonly<Record<string, string>> = {
  DaemonSet: annotationTemplateGeneration,
  Deployment: annotationRollbackTo
}

/** Returns the object with the metadata of its internal form, from which rows and other forms are made. */
const withInternalMetadata = (object: KubeObject): KubeObject => {
  const converted = convertedAnnotations[object.kind]
  if (converted === undefined || object.metadata.annotations?.[converted] === undefined) return object
  const { annotations, ...metadata } = object.metadata
  const { [converted]: _, ...rest } = annotations ?? {}
  return { ...object, metadata: Object.keys(rest).length === 0 ? metadata : { ...metadata, annotations: rest } }
}

/** Returns an object's metadata as `PartialObjectMetadata` of `meta.k8s.io` in this version. */
export const partialObjectMetadata = (object: KubeObject, version: string): KubeObject => ({
  kind: "PartialObjectMetadata",
  apiVersion: `meta.k8s.io/${version}`,
  metadata: withInternalMetadata(object).metadata
})

const objectInRow = (
  object: KubeObject,
  { includeObject: include = "Metadata", version = "v1" }: TableOptions
): unknown => {
  if (include === "Object") return withNulls(object)
  const endsInitialEvents = object.metadata.annotations?.["k8s.io/initial-events-end"] === "true"
  return include === "None" && !endsInitialEvents ? null : partialObjectMetadata(object, version)
}

/** Returns the row of an object that cannot be printed: only its name, the first column of all tables. */
const bareRow = ({ columns }: Printer, { metadata }: KubeObject): PrintedRow => ({
  cells: columns.map((_, index) => (index === 0 ? (metadata.name ?? "") : null))
})

const printRow = (printer: Printer, object: KubeObject, { nowMs, onUnprintable }: TableOptions): PrintedRow => {
  if (onUnprintable === undefined) return printer.row(object, nowMs)
  try {
    return printer.row(object, nowMs)
  } catch (error) {
    onUnprintable(object, error)
    return bareRow(printer, object)
  }
}

const inTableOrder = ({ order }: Printer, objects: ReadonlyArray<KubeObject>, { onUnprintable }: TableOptions) => {
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
  /** The objects in the order of their rows. */
  readonly objects: ReadonlyArray<KubeObject>
  readonly rowOf: (object: KubeObject) => TableRow
}

/** Does the work of `tableOf`, except for the rows, which the caller makes one by one. */
export const lazyTableOf = (printer: Printer, objects: ReadonlyArray<KubeObject>, options: TableOptions): LazyTable => {
  const { listMeta, version = "v1", withoutColumns } = options
  const only = objects.length === 1 ? objects[0] : undefined
  const { resourceVersion } = only?.metadata ?? {}
  const rowOf = (object: KubeObject): TableRow => {
    const { cells, conditions } = printRow(printer, object, options)
    const row = { cells, object: objectInRow(object, options) }
    return conditions === undefined ? row : { ...row, conditions }
  }
  const head = {
    kind: "Table",
    apiVersion: `meta.k8s.io/${version}`,
    metadata: listMeta ?? (resourceVersion === undefined ? {} : { resourceVersion }),
    columnDefinitions: withoutColumns === true ? null : printer.columns
  } satisfies LazyTable["head"]
  return { head, objects: inTableOrder(printer, objects, options), rowOf }
}

/**
 * Returns objects as a Table: the response of GET, list, watch and writes to `Accept:
 * application/json;as=Table;v=v1;g=meta.k8s.io`. Upstream: apiserver/pkg/endpoints/handlers/response.go, asTable.
 */
export const tableOf = (printer: Printer, objects: ReadonlyArray<KubeObject>, options: TableOptions): WireTable => {
  const { head, objects: ordered, rowOf } = lazyTableOf(printer, objects, options)
  return { ...head, rows: ordered.map(rowOf) }
}
