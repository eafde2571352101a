import { fold } from "./format.ts"

/** Something that cannot be known of a cluster, as it is not to be seen. */
export interface UnseenKind {
  /** As the API calls it; of owners, their own kind. */
  readonly kind: string
  /** What is missing, what cannot be known without it, and what is assumed. */
  readonly message: string
}

const WIDTH = 96

/** What is not known, a fact a paragraph: folded, and indented as the lines of a section are. */
export const unseenLines = (unseen: ReadonlyArray<UnseenKind>): ReadonlyArray<string> =>
  unseen.flatMap(({ message }) => fold(message, WIDTH).map((line, index) => `  ${index === 0 ? "" : "  "}${line}`))
