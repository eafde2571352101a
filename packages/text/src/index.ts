/** Formatting of terminal output. */

export { clock, columns, fold, plural, printable, some, span } from "./format.ts"
export { gapLines, type KnowledgeGap } from "./gaps.ts"
export { grouped } from "./grouped.ts"
