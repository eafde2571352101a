/** Reports of a drain, for people and for programs. */

export type { DrainReport } from "./DrainReport.ts"
export { renderDrainJson } from "./drainJson.ts"
export { renderDrainTable } from "./drainTable.ts"
