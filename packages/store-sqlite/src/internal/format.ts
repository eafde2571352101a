import type { DatabaseSync } from "node:sqlite"

/** "Roll": what SQLite's application_id of our files says. */
export const APPLICATION_ID = 0x526f6c6c

export type Migration = (database: DatabaseSync) => void

/**
 * Every change ever made, one row each, in the order of commits. A put has a value, a delete has none. `previous` is the row that
 * this one superseded, 0 if there was none: compaction deletes those, history reads follow them. The newest row is never
 * superseded nor compacted, so the revision counter survives with it.
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
 * A checksum for each new row (rowSum.ts), who this store is (its mark beside the file names it, see Mark.ts; empty until there is
 * one), and from where revisions are counted on when some were lost.
 */
const addSums: Migration = (database) =>
  database.exec(`
    ALTER TABLE changes ADD COLUMN sum INTEGER;
    CREATE TABLE store (identity TEXT NOT NULL, floor INTEGER NOT NULL) STRICT;
    INSERT INTO store VALUES ('', 0);
  `)

/** The step at index n takes a file from format n to n + 1; format 0 is an empty file. A format is never changed, only followed. */
export const MIGRATIONS: ReadonlyArray<Migration> = [createTables, addSums]

const versionOf = (database: DatabaseSync): number =>
  Number(database.prepare("PRAGMA user_version").get()?.user_version)

/** The file's format, if this version does not know it. */
export const newerFormat = (
  database: DatabaseSync,
  migrations: ReadonlyArray<Migration> = MIGRATIONS
): number | undefined => {
  const version = versionOf(database)
  return version > migrations.length ? version : undefined
}

/** Brings the file to the newest format, in one transaction. Answers what it was if it is newer than that. */
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
