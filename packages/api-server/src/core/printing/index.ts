// Tables, as kubectl get asks for them.

export type { PrintedRow, Printer } from "./Printer.ts"
export { printerOf } from "./printers.ts"
export { type IncludeObject, type TableOptions, tableOf, type WireTable } from "./tableOf.ts"
