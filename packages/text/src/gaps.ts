import { fold } from "./format.ts"

/** A fact that a report could not establish, because the objects that tell it could not be read. */
export interface KnowledgeGap {
  /** The kind that is missing, as the API names it; for a missing owner, the owner's own kind. */
  readonly kind: string
  /** Which objects are missing, what cannot be determined without them, and what is assumed instead. */
  readonly message: string
  /** Set if no snapshot tells it, however complete it is. */
  readonly isInEverySnapshot?: true
}

const WIDTH = 96

/** Formats each gap as a wrapped paragraph, indented as the lines of a report's section are. */
export const gapLines = (gaps: ReadonlyArray<KnowledgeGap>): ReadonlyArray<string> =>
  gaps.flatMap(({ message }) => fold(message, WIDTH).map((line, index) => `  ${index === 0 ? "" : "  "}${line}`))
