import { ageCell, DURATION } from "./placeholders.ts"

const heading = /(?:^|(?<= {2}))(?:AGE|LAST SEEN|FIRST SEEN|Age)(?= {2}|$)/g
const GAP = 3

interface Column {
  readonly start: number
  /** Absent: up to the line's end. */
  readonly end: number | undefined
}

const ageColumns = (header: string): ReadonlyArray<Column> =>
  [...header.matchAll(heading)].map(({ 0: name, index }) => {
    const next = header.slice(index + name.length).search(/\S/)
    return { start: index, end: next < 0 ? undefined : index + name.length + next }
  })

/** An age, alone or with how often within which time. */
const maskAge = (cell: string): string =>
  ageCell.test(cell)
    ? cell.replace(new RegExp(`^${DURATION}`), "<AGE>").replace(/\(x(\d+) over .*\)/, "(x$1 over <AGE>)")
    : cell

/** One column with placeholders for ages, as wide as its widest cell asks. */
const rewriteColumn = (rows: ReadonlyArray<string>, { end, start }: Column): ReadonlyArray<string> => {
  const cells = rows.map((row, index) => {
    const cell = row.slice(start, end).trim()
    return index === 0 ? cell : maskAge(cell)
  })
  const width = Math.max(...cells.map(({ length }) => length)) + GAP
  return rows.map((row, index) => {
    const cell = cells[index] ?? ""
    if (row.length <= start) return row
    return row.slice(0, start) + (end === undefined ? cell : cell.padEnd(width) + row.slice(end))
  })
}

/** The ages of every table in a text; all other columns stay to the blank. */
export const maskTables = (text: string): string => {
  const lines = text.split("\n")
  const result: Array<string> = []
  for (let at = 0; at < lines.length; ) {
    const header = lines[at] ?? ""
    const columns = ageColumns(header)
    const indent = /^ */.exec(header)?.[0] ?? ""
    let end = at + 1
    if (columns.length > 0) {
      while (end < lines.length && lines[end]?.trim() !== "" && lines[end]?.startsWith(indent)) end++
    }
    let rows: ReadonlyArray<string> = lines.slice(at, end)
    for (const column of columns.toReversed()) rows = rewriteColumn(rows, column)
    result.push(...rows)
    at = end
  }
  return result.join("\n")
}

/** The same where no header says which column holds ages: the first, the last, or one between wide gaps. */
export const maskHeadless = (text: string): string =>
  text
    .replace(new RegExp(`^(?=\\d+[smhdy])${DURATION}( \\(x\\d+ over )?`, "gm"), "<AGE>$1")
    .replace(new RegExp(`^<AGE>( \\(x\\d+ over )${DURATION}\\)`, "gm"), "<AGE>$1<AGE>)")
    .replace(/^(<AGE>(?: \(x\d+ over <AGE>\))?) {3,}/gm, "$1   ")
    .replace(new RegExp(`(?<= {3})(?=\\d)${DURATION}$`, "gm"), "<AGE>")
    .replace(new RegExp(`(?<= {3})(?=\\d+[smhdy])${DURATION} {3,}(?=\\S)`, "gm"), "<AGE>   ")
