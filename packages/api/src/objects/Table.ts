import * as Schema from "effect/Schema"
import { list, opt } from "../internal/fields.ts"
import { ListMeta } from "./Meta.ts"

export const TableColumnDefinition = Schema.Struct({
  name: Schema.String,
  /** The JSON type of the cells. */
  type: Schema.String,
  /** `name` for the first column. */
  format: Schema.String,
  description: Schema.String,
  /** 0 for a column that is always shown, 1 for one that only wide output shows. */
  priority: Schema.Int
})
export interface TableColumnDefinition extends Schema.Schema.Type<typeof TableColumnDefinition> {}

export const TableRowCondition = Schema.Struct({
  type: Schema.String,
  status: Schema.String,
  reason: opt(Schema.String),
  message: opt(Schema.String)
})
export interface TableRowCondition extends Schema.Schema.Type<typeof TableRowCondition> {}

export const TableRow = Schema.Struct({
  cells: list(Schema.Unknown),
  conditions: opt(list(TableRowCondition)),
  /** The object, or only its metadata, as the request's includeObject says. */
  object: opt(Schema.Unknown)
})
export interface TableRow extends Schema.Schema.Type<typeof TableRow> {}

/** Objects as `kubectl get` prints them: the server renders the cells, the client only aligns them. */
export const Table = Schema.Struct({
  apiVersion: Schema.Literal("meta.k8s.io/v1"),
  kind: Schema.Literal("Table"),
  metadata: ListMeta,
  columnDefinitions: list(TableColumnDefinition),
  rows: list(TableRow)
})
export interface Table extends Schema.Schema.Type<typeof Table> {}
