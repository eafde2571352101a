/** A part of a report, before anybody has laid it out for a terminal or a page. */
export type Section =
  /** Sentences, each for itself. */
  | { readonly layout: "points"; readonly title: string; readonly points: ReadonlyArray<string> }
  | {
      readonly layout: "table"
      readonly title: string
      readonly head: ReadonlyArray<string> | undefined
      readonly rows: ReadonlyArray<ReadonlyArray<string>>
      /** What was left out. */
      readonly more: string | undefined
    }
  | {
      readonly layout: "lines"
      readonly title: string
      readonly lines: ReadonlyArray<string>
      /** Whether a line may be broken. */
      readonly folds: boolean
      readonly more: string | undefined
    }

/** How much of a long run is told. */
export interface Limits {
  readonly moves: number
  /** From so many lines on the story is told without its minor ones. */
  readonly chapters: number
  readonly majorChapters: number
  readonly warnings: number
}

/** Fits a screen or two. */
export const screen: Limits = { moves: 8, chapters: 30, majorChapters: 45, warnings: 30 }

/** A page can be scrolled. */
export const page: Limits = { moves: 200, chapters: 300, majorChapters: 400, warnings: 100 }
