import { formatRfc1123, parseTime } from "@rollcall/api"
import { TabWriter } from "../output/TabWriter.ts"

/** Writes indented lines with cells, and aligns the columns at the end. Upstream: kubectl/pkg/describe, PrefixWriter. */
export class Writer {
  private readonly tabs = new TabWriter({ minWidth: 0, padding: 2 })
  private done = ""

  /** Writes a text at an indentation level; `\t` ends a cell, and the caller writes line ends. */
  write(level: number, text: string): this {
    this.tabs.write("  ".repeat(level) + text)
    return this
  }

  /** Writes one line. */
  line(level: number, ...cells: ReadonlyArray<unknown>): this {
    return this.write(level, `${cells.map(String).join("\t")}\n`)
  }

  /** Ends all columns. */
  flush(): this {
    this.done += this.tabs.flush()
    return this
  }

  get text(): string {
    this.flush()
    return this.done
  }
}

/** Formats a time as Go's RFC1123Z in UTC: `Thu, 04 Mar 2021 05:06:07 +0000`. */
export const longTime = (time: string | null | undefined): string =>
  time ? formatRfc1123(parseTime(time)) : "Mon, 01 Jan 0001 00:00:00 +0000"
