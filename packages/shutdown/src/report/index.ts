/** Reports of a node's shutdown, for people and for programs. */

export { reportShutdown, type ShutdownQuestion, type ShutdownReport } from "./ShutdownReport.ts"
export { renderShutdownJson } from "./shutdownJson.ts"
export { renderShutdownTable } from "./shutdownTable.ts"
