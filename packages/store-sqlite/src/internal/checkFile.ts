import { rmSync, statSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { APPLICATION_ID, newerFormat } from "./format.ts"
import { inspect } from "./inspect.ts"
import { type Findings, type LogState, lossesOf } from "./losses.ts"
import { type MarkFound, markPathOf, readMark } from "./MarkFile.ts"
import { damaged, lost, Refusal } from "./Refusal.ts"
import { isVerdict } from "./sqliteErrors.ts"

/** A store's file, and whether it may be opened when acknowledged writes are missing. */
export interface Checked {
  readonly file: string
  readonly acceptLoss: boolean
}

/** The state of a store's files before SQLite opens them. */
export interface Before {
  readonly found: MarkFound
  readonly log: LogState
}

export interface Verdict {
  readonly findings: Findings
  /** The losses, when they are accepted; otherwise the file is refused. */
  readonly losses: ReadonlyArray<string>
}

/** How long another connection may hold a lock. */
export const BUSY_MS = 250

const sizeOf = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.size

export const lookBefore = (file: string): Before => {
  const log = sizeOf(`${file}-wal`)
  return { found: readMark(markPathOf(file)), log: log === undefined ? "missing" : log === 0 ? "empty" : "there" }
}

/** SQLite takes an empty file for a new one, and deletes the log beside it: this throws a Refusal before that happens. */
export const checkNotEmptied = ({ acceptLoss, file }: Checked, { found, log }: Before): void => {
  const size = sizeOf(file)
  if ((size ?? 0) > 0 || acceptLoss) return
  const what = `${file} is ${size === undefined ? "missing" : "empty"}`
  if (found.state === "whole" && found.mark.revision > 0) {
    const { keys, revision } = found.mark
    throw lost(file, [`${what} but revision ${revision} was acknowledged: all ${keys} objects are missing`])
  }
  if (found.state === "damaged") throw lost(file, [`${what}, and ${markPathOf(file)} is damaged`])
  if (log === "there") throw lost(file, [`${what}, and ${file}-wal is not`])
}

const checkOwner = (database: DatabaseSync, file: string): void => {
  const id = Number(database.prepare("PRAGMA application_id").get()?.application_id)
  if (id === APPLICATION_ID) return
  const tables = Number(database.prepare("SELECT count(*) AS tables FROM sqlite_schema").get()?.tables)
  if (id === 0 && tables === 0) return
  throw new Refusal("foreign", `${file} belongs to another program: name another file; this one was left as it is`)
}

const checkWhole = (database: DatabaseSync, file: string): void => {
  const found = database.prepare("PRAGMA quick_check(1)").get()?.quick_check
  if (found !== "ok") throw damaged(file, String(found))
}

const checkFormat = (database: DatabaseSync, file: string): void => {
  const newer = newerFormat(database)
  if (newer === undefined) return
  throw new Refusal(
    "newer",
    `${file} has format ${newer}, of a newer version of Rollcall: start that version, or name another file`
  )
}

/** Checks a store's pages and rows against its mark. Throws a Refusal. */
export const check = (database: DatabaseSync, { acceptLoss, file }: Checked, { found, log }: Before): Verdict => {
  checkOwner(database, file)
  checkWhole(database, file)
  checkFormat(database, file)
  const findings = inspect(database, { found, thorough: acceptLoss })
  const losses = lossesOf(file, findings, found, log)
  if (losses.length > 0 && !acceptLoss) throw lost(file, losses)
  return { findings, losses }
}

/**
 * Checks a store through a read-only connection, so that a refused file stays unchanged: a connection that can write
 * checkpoints the rest of the log into the file when it is closed, and deletes the log. Undefined where a read-only
 * connection is impossible: for a new file, or on a full disk, which has no room for the index of the log.
 */
export const checkUntouched = (checked: Checked, before: Before): Verdict | undefined => {
  const { file } = checked
  if ((sizeOf(file) ?? 0) === 0) return undefined
  // A read-only connection also creates the -wal and -shm files that it reads.
  const made = ["-wal", "-shm"].filter((part) => sizeOf(`${file}${part}`) === undefined)
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(file, { readOnly: true, timeout: BUSY_MS })
    return check(database, checked, before)
  } catch (cause) {
    if (isVerdict(cause)) throw cause
    return undefined
  } finally {
    if (database?.isOpen === true) database.close()
    for (const part of made) rmSync(`${file}${part}`, { force: true })
  }
}
