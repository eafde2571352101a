/** What a shutdown of a node will do, for a person and for programs. */

export { reportShutdown, type ShutdownQuestion, type ShutdownReport } from "./ShutdownReport.ts"
export { renderShutdownJson } from "./shutdownJson.ts"
export { renderShutdownTable } from "./shutdownTable.ts"
