import type { DatabaseSync } from "node:sqlite"

/** "Roll": the value of SQLite's application_id in Rollcall's files. */
export const APPLICATION_ID = 0x526f6c6c

export type Migration = (database: DatabaseSync) => void

/**
 * Every change ever made, one row each, in commit order. A put has a value, a delete has none. `previous` is the row
 * that this one superseded, 0 if there was none: compaction deletes those rows, and history reads follow them. The
 * newest row is never superseded or compacted, so the revision counter survives with it.
 */
const createTables: Migration = (database) =>
  database.exec(`
    CREATE TABLE changes (
      sequence INTEGER PRIMARY KEY,
      revision INTEGER NOT NULL,
      created INTEGER NOT NULL,
      previous INTEGER NOT NULL,
      key TEXT NOT NULL,
      value TEXT
    ) STRICT;
    CREATE TABLE compaction (revision INTEGER NOT NULL) STRICT;
    INSERT INTO compaction VALUES (0);
  `)

/**
 * Adds a checksum for each new row (rowSum.ts), the identity of the store (the mark beside the file records it, see
 * Mark.ts; empty until there is one), and the revision from which revisions continue after a loss.
 */
const addSums: Migration = (database) =>
  database.exec(`
    ALTER TABLE changes ADD COLUMN sum INTEGER;
    CREATE TABLE store (identity TEXT NOT NULL, floor INTEGER NOT NULL) STRICT;
    INSERT INTO store VALUES ('', 0);
  `)

/**
 * The migration at index n takes a file from format n to n + 1; format 0 is an empty file. A released format never
 * changes.
 */
export const MIGRATIONS: ReadonlyArray<Migration> = [createTables, addSums]

const versionOf = (database: DatabaseSync): number =>
  Number(database.prepare("PRAGMA user_version").get()?.user_version)

/** Returns the file's format when this version does not know it. */
export const newerFormat = (
  database: DatabaseSync,
  migrations: ReadonlyArray<Migration> = MIGRATIONS
): number | undefined => {
  const version = versionOf(database)
  return version > migrations.length ? version : undefined
}

/** Migrates the file to the newest format, in one transaction. Returns the file's format when it is newer than that. */
export const migrate = (
  database: DatabaseSync,
  migrations: ReadonlyArray<Migration> = MIGRATIONS
): { readonly newer: number } | undefined => {
  const version = versionOf(database)
  if (version > migrations.length) return { newer: version }
  if (version === migrations.length) return undefined
  database.exec("BEGIN IMMEDIATE")
  try {
    for (const migration of migrations.slice(version)) migration(database)
    database.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${migrations.length}; COMMIT`)
  } catch (cause) {
    if (database.isTransaction) database.exec("ROLLBACK")
    throw cause
  }
  return undefined
}
