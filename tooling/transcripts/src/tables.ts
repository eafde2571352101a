import { ageCell, DURATION } from "./placeholders.ts"

const heading = /(?:^|(?<= {2}))(?:AGE|LAST SEEN|FIRST SEEN|Age)(?= {2}|$)/g
/** The blanks between two columns. */
const GAP = 3

interface Column {
  readonly start: number
  /** The end of the column; undefined if it ends with the line. */
  readonly end: number | undefined
}

const ageColumns = (header: string): ReadonlyArray<Column> =>
  [...header.matchAll(heading)].map(({ 0: name, index }) => {
    const next = header.slice(index + name.length).search(/\S/)
    return { start: index, end: next < 0 ? undefined : index + name.length + next }
  })

/** Masks a cell with an age, alone or as in `5m (x3 over 10m)`. Returns other cells unchanged. */
const maskAge = (cell: string): string =>
  ageCell.test(cell)
    ? cell.replace(new RegExp(`^${DURATION}`), "<AGE>").replace(/\(x(\d+) over .*\)/, "(x$1 over <AGE>)")
    : cell

/** Masks the ages of one column, and makes it as wide as its widest cell. */
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

/** Masks the ages in every table of a text. The other columns keep every blank. */
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

/** Masks the ages in tables without a header: in the first column, the last, or one between wide gaps. */
export const maskHeadless = (text: string): string =>
  text
    .replace(new RegExp(`^(?=\\d+[smhdy])${DURATION}( \\(x\\d+ over )?`, "gm"), "<AGE>$1")
    .replace(new RegExp(`^<AGE>( \\(x\\d+ over )${DURATION}\\)`, "gm"), "<AGE>$1<AGE>)")
    .replace(/^(<AGE>(?: \(x\d+ over <AGE>\))?) {3,}/gm, "$1   ")
    .replace(new RegExp(`(?<= {3})(?=\\d)${DURATION}$`, "gm"), "<AGE>")
    .replace(new RegExp(`(?<= {3})(?=\\d+[smhdy])${DURATION} {3,}(?=\\S)`, "gm"), "<AGE>   ")
