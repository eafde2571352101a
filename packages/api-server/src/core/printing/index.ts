export * from "./customResource.ts"
export type { ColumnType, Printed, Printer } from "./Printer.ts"
export { printerOf } from "./printers.ts"
export * from "./tableOf.ts"
