/** Formats virtual seconds as a clock: `02:50.3`, `1:02:50.3`. */
export const clock = (seconds: number): string => {
  const tenths = Math.round(seconds * 10)
  const hours = Math.floor(tenths / 36_000)
  const minutes = Math.floor((tenths % 36_000) / 600)
  const rest = ((tenths % 600) / 10).toFixed(1).padStart(4, "0")
  const head = hours > 0 ? `${hours}:${String(minutes).padStart(2, "0")}` : String(minutes).padStart(2, "0")
  return `${head}:${rest}`
}

/** Formats a duration: `12m`, `1h 30m`, `41.2s`. */
export const span = (seconds: number): string => {
  if (seconds < 120 && !Number.isInteger(seconds / 60)) return `${Number(seconds.toFixed(1))}s`
  const whole = Math.round(seconds)
  const parts = [
    [Math.floor(whole / 3600), "h"],
    [Math.floor((whole % 3600) / 60), "m"],
    [whole % 60, "s"]
  ] as const
  const texts = parts.filter(([count]) => count > 0).map(([count, unit]) => `${count}${unit}`)
  return texts.length === 0 ? "0s" : texts.join(" ")
}

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString("en-US")} ${count === 1 ? one : many}`

/** Joins the first `max` names and counts the rest: `a, b, c and 7 more`. */
export const some = (names: ReadonlyArray<string>, max = 3): string =>
  names.length <= max
    ? names.join(", ")
    : `${names.slice(0, max).join(", ")} and ${(names.length - max).toLocaleString("en-US")} more`

/** The widest column in characters: longer cells extend beyond it. */
const MAX_COLUMN_WIDTH = 500

/** Formats rows in aligned columns; the last column is not padded. */
export const columns = (rows: ReadonlyArray<ReadonlyArray<string>>, indent = "  "): ReadonlyArray<string> => {
  const widths: Array<number> = []
  for (const row of rows) {
    for (const [index, cell] of row.entries())
      widths[index] = Math.min(MAX_COLUMN_WIDTH, Math.max(widths[index] ?? 0, cell.length))
  }
  return rows.map((row) =>
    `${indent}${row.map((cell, index) => (index === row.length - 1 ? cell : cell.padEnd(widths[index] ?? 0))).join("  ")}`.trimEnd()
  )
}

/** Wraps a text into lines of at most `width` characters. */
export const fold = (text: string, width = 100): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let line = ""
  for (const word of text.split(/\s+/)) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line)
      line = word
    } else line = line === "" ? word : `${line} ${word}`
  }
  return line === "" ? lines : [...lines, line]
}

/** All control characters except the line feed: C0, DEL and C1. */
const CONTROL = /[^\P{Cc}\n]/gu

/** Replaces control characters, so that a text from an untrusted source cannot move the cursor or change the terminal. */
export const printable = (text: string): string => text.replace(CONTROL, "\ufffd")
