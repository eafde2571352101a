/** How a program ended, after which time, and what it wrote; the output is undefined if it is not known. */
export interface ProgramEnd {
  readonly status: number
  /** Infinite for a program that does not end. */
  readonly afterMs: number
  readonly output: string | undefined
  /** What it wrote to its standard error; absent if nothing. */
  readonly errors?: string
}
