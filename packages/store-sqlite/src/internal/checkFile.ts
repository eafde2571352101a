import { rmSync, statSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { APPLICATION_ID, newerFormat } from "./format.ts"
import { inspect } from "./inspect.ts"
import { type Findings, type LogState, lossesOf } from "./losses.ts"
import { type MarkFound, markPathOf, readMark } from "./MarkFile.ts"
import { damaged, lost, Refusal } from "./Refusal.ts"
import { isErrorOfFile } from "./sqliteErrors.ts"

/** A store's file, and whether it may be opened although acknowledged writes are missing. */
export interface CheckOptions {
  readonly file: string
  readonly acceptLoss: boolean
}

/** The state of a store's files before SQLite opens them. */
export interface FileState {
  readonly markFound: MarkFound
  readonly log: LogState
}

/** The result of checking a file that may be opened. */
export interface CheckResult {
  readonly findings: Findings
  /** The acknowledged data that is missing; empty unless the caller accepts losses, since such a file is refused. */
  readonly losses: ReadonlyArray<string>
}

/** The time that SQLite waits for another connection's lock, in milliseconds. */
export const BUSY_MS = 250

const sizeOf = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.size

export const readFileState = (file: string): FileState => {
  const log = sizeOf(`${file}-wal`)
  return { markFound: readMark(markPathOf(file)), log: log === undefined ? "missing" : log === 0 ? "empty" : "there" }
}

/**
 * Throws a Refusal if the file is missing or empty although data was acknowledged. SQLite would take an empty file for a
 * new one, and delete the log beside it.
 */
export const checkNotEmptied = ({ acceptLoss, file }: CheckOptions, { markFound, log }: FileState): void => {
  const size = sizeOf(file)
  if ((size ?? 0) > 0 || acceptLoss) return
  const problem = `${file} is ${size === undefined ? "missing" : "empty"}`
  if (markFound.state === "whole" && markFound.mark.revision > 0) {
    const { keys, revision } = markFound.mark
    throw lost(file, [`${problem} but revision ${revision} was acknowledged: all ${keys} objects are missing`])
  }
  if (markFound.state === "damaged") throw lost(file, [`${problem}, and ${markPathOf(file)} is damaged`])
  if (log === "there") throw lost(file, [`${problem}, and ${file}-wal is not`])
}

const checkOwner = (database: DatabaseSync, file: string): void => {
  const id = Number(database.prepare("PRAGMA application_id").get()?.application_id)
  if (id === APPLICATION_ID) return
  const tables = Number(database.prepare("SELECT count(*) AS tables FROM sqlite_schema").get()?.tables)
  if (id === 0 && tables === 0) return
  throw new Refusal("foreign", `${file} belongs to another program: name another file; this one was left as it is`)
}

const checkIntegrity = (database: DatabaseSync, file: string): void => {
  const result = database.prepare("PRAGMA quick_check(1)").get()?.quick_check
  if (result !== "ok") throw damaged(file, String(result))
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
export const check = (
  database: DatabaseSync,
  { acceptLoss, file }: CheckOptions,
  { markFound, log }: FileState
): CheckResult => {
  checkOwner(database, file)
  checkIntegrity(database, file)
  checkFormat(database, file)
  const findings = inspect(database, { found: markFound, readsValues: acceptLoss })
  const losses = lossesOf(file, findings, markFound, log)
  if (losses.length > 0 && !acceptLoss) throw lost(file, losses)
  return { findings, losses }
}

/**
 * Checks a store through a read-only connection, so that a refused file stays unchanged: a connection that can write
 * checkpoints the rest of the log into the file when it is closed, and deletes the log. Returns undefined where a
 * read-only connection is impossible: for a new file, or on a full disk, which has no room for the index of the log.
 */
export const checkReadOnly = (options: CheckOptions, before: FileState): CheckResult | undefined => {
  const { file } = options
  if ((sizeOf(file) ?? 0) === 0) return undefined
  // A read-only connection also creates the -wal and -shm files that it reads.
  const createdFiles = ["-wal", "-shm"].filter((part) => sizeOf(`${file}${part}`) === undefined)
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(file, { readOnly: true, timeout: BUSY_MS })
    return check(database, options, before)
  } catch (cause) {
    if (isErrorOfFile(cause)) throw cause
    return undefined
  } finally {
    if (database?.isOpen === true) database.close()
    for (const part of createdFiles) rmSync(`${file}${part}`, { force: true })
  }
}
