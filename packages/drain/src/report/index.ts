/** Reports of a drain, for people and for programs. */

export type { UnseenKind } from "@rollcall/text"
export type { DrainReport } from "./DrainReport.ts"
export { renderDrainJson } from "./drainJson.ts"
export { renderDrainTable } from "./drainTable.ts"
