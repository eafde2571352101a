/** What a drain will do, for a person and for programs. */

export type { DrainReport, UnseenKind } from "./DrainReport.ts"
export { renderDrainJson } from "./drainJson.ts"
export { renderDrainTable } from "./drainTable.ts"
