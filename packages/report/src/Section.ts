/** A part of a report, independent of the output format. */
export type Section =
  /** A list of independent sentences. */
  | { readonly layout: "points"; readonly title: string; readonly points: ReadonlyArray<string> }
  | {
      readonly layout: "table"
      readonly title: string
      readonly head: ReadonlyArray<string> | undefined
      readonly rows: ReadonlyArray<ReadonlyArray<string>>
      /** Describes the rows that were left out. */
      readonly more: string | undefined
    }
  | {
      readonly layout: "lines"
      readonly title: string
      readonly lines: ReadonlyArray<string>
      /** Whether long lines are wrapped. */
      readonly folds: boolean
      readonly more: string | undefined
    }

/** The maximum numbers of lines that a report shows of a long run. */
export interface Limits {
  readonly moves: number
  /** With more lines than this, the timeline leaves out its minor ones. */
  readonly lines: number
  readonly majorLines: number
  readonly warnings: number
}

/** The limits of the table format: one or two screens. */
export const screen: Limits = { moves: 8, lines: 30, majorLines: 45, warnings: 30 }

/** The limits of the HTML page, which can be scrolled. */
export const page: Limits = { moves: 200, lines: 300, majorLines: 400, warnings: 100 }
