import { closeSync, openSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { APPLICATION_ID, migrate } from "./format.ts"
import { damaged, messageOf, Refusal } from "./Refusal.ts"

export interface OpenOptions {
  readonly file: string
  /** The file may grow to this many pages of 4 KiB, then the disk counts as full. */
  readonly maxPages: number | undefined
}

const BUSY = 5
const CORRUPT = 11
const FULL = 13
const NOT_A_DATABASE = 26

/** SQLite's primary result code; undefined for an error of another origin. */
const codeOf = (cause: unknown): number | undefined =>
  cause instanceof Error && "errcode" in cause && typeof cause.errcode === "number" ? cause.errcode & 0xff : undefined

const refusalOf = (file: string, cause: unknown): Refusal => {
  if (cause instanceof Refusal) return cause
  const code = codeOf(cause)
  if (code === BUSY) {
    return new Refusal("locked", `${file} is open in another process: stop that one, or name another file`)
  }
  if (code === NOT_A_DATABASE || code === CORRUPT) return damaged(file, messageOf(cause))
  const full = code === FULL ? ": make room on its disk" : ""
  return new Refusal("unavailable", `${file} cannot be opened: ${messageOf(cause)}${full}`)
}

/** Makes the file ours alone to read: it holds Secrets. SQLite gives its -wal the same mode. */
const createPrivate = (file: string): void => {
  closeSync(openSync(file, "a", 0o600))
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

const prepare = (database: DatabaseSync, { file, maxPages }: OpenOptions): void => {
  // In this mode the first read takes the lock for as long as the connection lives; it ends with the process, however that ends.
  database.exec("PRAGMA locking_mode = EXCLUSIVE")
  checkOwner(database, file)
  checkWhole(database, file)
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 1000")
  database.exec("BEGIN IMMEDIATE; COMMIT")
  if (maxPages !== undefined) database.exec(`PRAGMA max_page_count = ${maxPages}`)
  const refused = migrate(database)
  if (refused !== undefined) {
    throw new Refusal(
      "newer",
      `${file} has format ${refused.newer}, of a newer version of Rollcall: start that version, or name another file`
    )
  }
}

/** Opens the file for us alone, recovers what its write-ahead log holds, and checks it. Throws a Refusal. */
export const openFile = (options: OpenOptions): DatabaseSync => {
  const { file } = options
  let database: DatabaseSync | undefined
  try {
    createPrivate(file)
    database = new DatabaseSync(file, { timeout: 250 })
    prepare(database, options)
    return database
  } catch (cause) {
    const refusal = refusalOf(file, cause)
    if (database?.isOpen === true) database.close()
    throw refusal
  }
}
