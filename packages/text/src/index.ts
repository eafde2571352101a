/** What programs print for a person. */

export { clock, columns, fold, plural, printable, some, span } from "./format.ts"
export { grouped } from "./grouped.ts"
export { type UnseenKind, unseenLines } from "./unseen.ts"
