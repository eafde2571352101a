/** A part of a report, independent of the output format. */
export type Section =
  /** A list of independent sentences. */
  | { readonly layout: "points"; readonly title: string; readonly points: ReadonlyArray<string> }
  | {
      readonly layout: "table"
      readonly title: string
      /** The headings of the columns; undefined if there are none. */
      readonly head: ReadonlyArray<string> | undefined
      readonly rows: ReadonlyArray<ReadonlyArray<string>>
      /** The text about rows that were left out, `3 more pods`; undefined if there are none. */
      readonly more: string | undefined
    }
  | {
      readonly layout: "lines"
      readonly title: string
      readonly lines: ReadonlyArray<string>
      /** Whether long lines are wrapped. */
      readonly folds: boolean
      /** The text about lines that were left out; undefined if there are none. */
      readonly more: string | undefined
    }

/** The maximum numbers of lines that a report shows of a long run. */
export interface Limits {
  /** The rows of pods and of workloads. */
  readonly moves: number
  /** If the timeline has more lines than this, it leaves out the minor ones, and shows at most `majorLines`. */
  readonly lines: number
  readonly majorLines: number
  readonly warnings: number
}

/** The limits of the table format: one or two screens. */
export const screenLimits: Limits = { moves: 8, lines: 30, majorLines: 45, warnings: 30 }

/** The limits of the HTML page, which can be scrolled. */
export const pageLimits: Limits = { moves: 200, lines: 300, majorLines: 400, warnings: 100 }
