export interface TabOptions {
  readonly minWidth: number
  readonly padding: number
  /** Keeps the width of a column once it was reached, for tables that are printed row by row. */
  readonly remember?: boolean
}

/**
 * Aligns cells like Go's text/tabwriter: a column is a run of lines that have a cell there; the last cell of a line belongs to no
 * column. `\t` ends a cell, `\f` ends a line and all columns.
 */
export class TabWriter {
  private readonly options: TabOptions
  private text = ""
  private remembered: Array<number> = []

  constructor(options: TabOptions) {
    this.options = options
  }

  write(text: string): void {
    this.text += text
  }

  /** Returns the aligned text that was written since the last flush. */
  flush(): string {
    const blocks = this.text.split("\f")
    this.text = ""
    return blocks.map((block) => this.align(block)).join("\n")
  }

  private align(block: string): string {
    const lines = block.split("\n").map((line) => line.split("\t"))
    const out = lines.map(() => "")
    this.column(lines, out, 0, lines.length, 0)
    return out.join("\n")
  }

  private column(
    lines: ReadonlyArray<ReadonlyArray<string>>,
    out: Array<string>,
    from: number,
    to: number,
    at: number
  ): void {
    for (let line = from; line < to; ) {
      if ((lines[line]?.length ?? 0) <= at + 1) {
        out[line] += lines[line]?.[at] ?? ""
        line++
        continue
      }
      let end = line
      let width = this.options.minWidth
      while (end < to && (lines[end]?.length ?? 0) > at + 1) {
        width = Math.max(width, [...(lines[end]?.[at] ?? "")].length + this.options.padding)
        end++
      }
      if (this.options.remember) {
        width = Math.max(width, this.remembered[at] ?? 0)
        this.remembered[at] = width
      }
      for (let inside = line; inside < end; inside++) {
        const cell = lines[inside]?.[at] ?? ""
        out[inside] += cell + " ".repeat(Math.max(0, width - [...cell].length))
      }
      this.column(lines, out, line, end, at + 1)
      line = end
    }
  }
}
