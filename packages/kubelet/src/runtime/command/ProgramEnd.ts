/** How a program ended, after which time, and what it wrote; the output is undefined if it is not known. */
export interface ProgramEnd {
  readonly status: number
  readonly afterMs: number
  readonly output: string | undefined
}
