import type { KubeObject, ListMeta, Table, TableRow } from "@rollcall/api"
import type { Printer } from "./Printer.ts"

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

/**
 * Objects as a Table: what GET, list, watch and writes answer to `Accept: application/json;as=Table;v=v1;g=meta.k8s.io`.
 * Upstream: apiserver/pkg/endpoints/handlers/response.go, asTable.
 */
export const tableOf = (printer: Printer, objects: ReadonlyArray<KubeObject>, options: TableOptions): WireTable => {
  const { includeObject = "Metadata", listMeta, nowMs, withoutColumns } = options
  const only = objects.length === 1 ? objects[0] : undefined
  const { resourceVersion } = only?.metadata ?? {}
  const ordered = printer.order === undefined ? objects : objects.toSorted(printer.order)
  const rows = ordered.map((object): TableRow => {
    const { cells, conditions } = printer.row(object, nowMs)
    const row = { cells, object: included(object, includeObject) }
    return conditions === undefined ? row : { ...row, conditions }
  })
  return {
    kind: "Table",
    apiVersion: "meta.k8s.io/v1",
    metadata: listMeta ?? (resourceVersion === undefined ? {} : { resourceVersion }),
    columnDefinitions: withoutColumns === true ? null : printer.columns,
    rows
  }
}
