import { closeSync, openSync, statSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import type { Revision } from "@rollcall/store"
import { acceptLosses, addMissingMark, markNow } from "./addMissingMark.ts"
import {
  BUSY_MS,
  type CheckOptions,
  type CheckResult,
  check,
  checkNotEmptied,
  checkReadOnly,
  readFileState
} from "./checkFile.ts"
import { migrate } from "./format.ts"
import type { Mark } from "./Mark.ts"
import { markPathOf, readMark } from "./MarkFile.ts"
import { refusalOf } from "./sqliteErrors.ts"

export interface OpenOptions extends CheckOptions {
  /** The maximum size of the file in pages of 4 KiB; beyond it the disk counts as full. */
  readonly maxPages: number | undefined
}

export interface Opened {
  readonly database: DatabaseSync
  /** Acknowledged data that is missing, where that was accepted. */
  readonly losses: ReadonlyArray<string>
  /**
   * The mark of the database's contents: the mark beside it may lack what was committed just before a process was
   * killed.
   */
  readonly mark: Mark
  /** The file had no mark, because it is new or was written by an earlier version. */
  readonly isNewlyMarked: boolean
}

/**
 * Creates the file readable by its owner only: it holds Secrets. SQLite gives its -wal the same mode. An existing file
 * is not opened for this: closing it would release this process's own lock on it.
 */
const createPrivate = (file: string): void => {
  if (statSync(file, { throwIfNoEntry: false }) === undefined) closeSync(openSync(file, "a", 0o600))
}

/** Locks the file for as long as the connection lives; the lock ends with the process, however that ends. */
const lock = (database: DatabaseSync): void => {
  database.exec("PRAGMA locking_mode = EXCLUSIVE")
  database.prepare("SELECT count(*) FROM sqlite_schema").get()
}

const prepare = (
  database: DatabaseSync,
  options: OpenOptions,
  stateBefore: ReturnType<typeof readFileState>,
  checkedBefore: CheckResult | undefined
): Omit<Opened, "database"> => {
  const { file, maxPages } = options
  lock(database)
  // The state found before the lock may be outdated. A process that wrote meanwhile has written the mark.
  const found = readMark(markPathOf(file))
  const isSame =
    found.state === "whole" && stateBefore.markFound.state === "whole" && found.writes === stateBefore.markFound.writes
  const { findings, losses } =
    checkedBefore !== undefined && isSame
      ? checkedBefore
      : check(database, options, { ...stateBefore, markFound: found })
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 1000")
  database.exec("BEGIN IMMEDIATE; COMMIT")
  if (maxPages !== undefined) database.exec(`PRAGMA max_page_count = ${maxPages}`)
  migrate(database)
  const isLossy = losses.length > 0 || (options.acceptLoss && found.state === "damaged")
  if (isLossy) acceptLosses(database, file, findings, found)
  const isNewlyMarked = !isLossy && addMissingMark(database, file, findings, found)
  return { losses, isNewlyMarked, mark: currentMark(database, file, findings.revision) }
}

const currentMark = (database: DatabaseSync, file: string, revision: Revision): Mark => {
  const now = readMark(markPathOf(file))
  if (now.state !== "whole") throw new Error(`${markPathOf(file)} is ${now.state}`)
  return revision > now.mark.revision ? markNow(database, now.mark.identity, revision) : now.mark
}

/** Opens the file exclusively, recovers what its write-ahead log holds, and checks it. Throws a Refusal. */
export const openFile = (options: OpenOptions): Opened => {
  const { file } = options
  let database: DatabaseSync | undefined
  try {
    const stateBefore = readFileState(file)
    checkNotEmptied(options, stateBefore)
    const checkedBefore = checkReadOnly(options, stateBefore)
    createPrivate(file)
    database = new DatabaseSync(file, { timeout: BUSY_MS })
    return { database, ...prepare(database, options, stateBefore, checkedBefore) }
  } catch (cause) {
    const refusal = refusalOf(file, cause)
    if (database?.isOpen === true) database.close()
    throw refusal
  }
}
