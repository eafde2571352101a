import type { Revision } from "@rollcall/store"
import type { MarkFound } from "./MarkFile.ts"
import { markPathOf } from "./MarkFile.ts"
import type { Sequence } from "./rows.ts"

/** The result of inspecting a store's tables. */
export interface Findings {
  /** The identity of the store; empty if it has no mark yet. */
  readonly identity: string
  /** The revision of the newest row, or the one from which revisions continue. */
  readonly revision: Revision
  /** The number of keys that are present as of the mark's newest row, and the sum of their row numbers; see `Mark`. */
  readonly keys: number
  readonly live: number
  /** The number of missing rows in the kept history. */
  readonly missingRows: number
  /** Damaged rows, among those that have been read. */
  readonly damagedRows: ReadonlyArray<{ readonly sequence: Sequence; readonly key: string }>
}

/** The state of the write-ahead log before the file was opened. */
export type LogState = "missing" | "empty" | "there"

const logText = (file: string, log: LogState): string =>
  log === "missing"
    ? `there is no ${file}-wal`
    : log === "empty"
      ? `${file}-wal is empty`
      : `${file}-wal is cut, damaged or of another time, or ${file} is an older copy`

const MAX_SHOWN_KEYS = 5

const keysText = (rows: Findings["damagedRows"]): string => {
  const shown = rows.slice(0, MAX_SHOWN_KEYS).map(({ key }) => key)
  return rows.length > MAX_SHOWN_KEYS
    ? `${shown.join(", ")} and ${rows.length - MAX_SHOWN_KEYS} more`
    : shown.join(", ")
}

/** Describes the acknowledged data that a store lacks, one sentence each. The list is empty if the store is complete. */
export const lossesOf = (file: string, findings: Findings, found: MarkFound, log: LogState): ReadonlyArray<string> => {
  const { damagedRows, identity, keys, live, missingRows, revision } = findings
  const losses: Array<string> = []
  if (damagedRows.length > 0) losses.push(`${damagedRows.length} rows of ${file} are damaged: ${keysText(damagedRows)}`)
  if (missingRows > 0) losses.push(`${missingRows} rows of the history of ${file} are missing`)
  if (found.state !== "whole") {
    const path = markPathOf(file)
    const cannotTell = "so it cannot be told whether anything that was acknowledged is missing"
    // A store without an identity was written by a version without marks, or its creation was interrupted.
    if (identity !== "") losses.push(`${path} is ${found.state}, ${cannotTell} after revision ${revision}`)
    return losses
  }
  const { mark } = found
  if (identity !== "" && identity !== mark.identity) {
    losses.push(`${markPathOf(file)} is of another store than ${file}: one of them has been replaced`)
  } else if (revision < mark.revision) {
    const [first, count] = [revision + 1, mark.revision - revision]
    losses.push(
      `${file} ends at revision ${revision} but revision ${mark.revision} was acknowledged: revisions ${first} to ` +
        `${mark.revision} are missing (${count} writes); ${logText(file, log)}`
    )
  } else if (keys !== mark.keys || live !== mark.live) {
    losses.push(
      `at revision ${mark.revision} ${file} has ${keys} objects, not the ${mark.keys} that were acknowledged, or older ` +
        `versions of them; ${logText(file, log)}`
    )
  }
  return losses
}
