import type { SQLOutputValue } from "node:sqlite"
import { rowSum } from "./rowSum.ts"
import type { ChangeRow, PastRow, StoredRow } from "./rows.ts"

export type Row = Record<string, SQLOutputValue>

/** Thrown for a row whose checksum does not fit its columns. */
export class DamagedRow extends Error {
  readonly sequence: number
  readonly key: string

  constructor(sequence: number, key: string) {
    super(`row ${sequence} (${key}) is damaged: its checksum is another`)
    this.sequence = sequence
    this.key = key
  }
}

const numberOrNull = (value: SQLOutputValue | undefined): number | null => (typeof value === "number" ? value : null)

const textOrNull = (value: SQLOutputValue | undefined): string | null => (typeof value === "string" ? value : null)

/** Rows of the first format have no checksum. */
const checkSum = (sum: SQLOutputValue | undefined, ...columns: Parameters<typeof rowSum>): void => {
  if (typeof sum === "number" && sum !== rowSum(...columns)) throw new DamagedRow(columns[0], columns[4])
}

/** Checks the columns sequence, revision, created, previous, key, value, sum. */
const checkRow = (row: Row): void =>
  checkSum(
    row.sum,
    Number(row.sequence),
    Number(row.revision),
    Number(row.created),
    Number(row.previous),
    String(row.key),
    textOrNull(row.value)
  )

export const storedRow = (row: Row): StoredRow => {
  checkRow(row)
  return {
    sequence: Number(row.sequence),
    key: String(row.key),
    value: String(row.value),
    created: Number(row.created),
    revision: Number(row.revision)
  }
}

/** Reads a row of `HistoryFile.past`: the key that changed, in the column `changed`, and its row before the change, if any. */
export const pastRow = (row: Row): PastRow => {
  if (row.sequence !== null) checkRow(row)
  return {
    key: String(row.changed),
    created: numberOrNull(row.created),
    revision: numberOrNull(row.revision),
    value: textOrNull(row.value)
  }
}

/** Reads a row of `HistoryFile.changes`: a change, and the row that it superseded in columns with the prefix `before`. */
export const changeRow = (row: Row): ChangeRow => {
  checkRow(row)
  const key = String(row.key)
  const change: ChangeRow = {
    revision: Number(row.revision),
    created: Number(row.created),
    key,
    value: textOrNull(row.value),
    beforeRevision: numberOrNull(row.beforeRevision),
    beforeCreated: numberOrNull(row.beforeCreated),
    beforeValue: textOrNull(row.beforeValue)
  }
  const { beforeCreated, beforeRevision, beforeValue } = change
  if (beforeRevision !== null && beforeCreated !== null) {
    const before = Number(row.previous)
    checkSum(row.beforeSum, before, beforeRevision, beforeCreated, Number(row.beforePrevious), key, beforeValue)
  }
  return change
}
