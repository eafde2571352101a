// Printers, and the tables that they make.

export { customResourcePrinter, customScalePrinter } from "./customResource.ts"
export { type Column, column, nameColumn, type PrintedRow, type Printer, printer } from "./Printer.ts"
export { printerOf } from "./printerOf.ts"
export {
  type IncludeObject,
  type LazyTable,
  lazyTableOf,
  partialObjectMetadata,
  type TableOptions,
  tableOf,
  type WireTable
} from "./tableOf.ts"
