// Tables, as kubectl get asks for them.

export type { PrintedRow, Printer } from "./printing/Printer.ts"
export { type IncludeObject, type TableOptions, tableOf, type WireTable } from "./printing/tableOf.ts"
export { printerOf } from "./registry/printers.ts"
