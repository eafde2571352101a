import { DatabaseSync } from "node:sqlite"

/** Writes that share a commit at most, as in the store. */
const GROUP = 1024

/**
 * The least durable writer: upserts of a text under a key, one commit (WAL, synchronous FULL) for all that came in one turn of the
 * event loop. No revisions, no history, no comparison, no thread.
 */
export const groupedSqlite = (file: string) => {
  const database = new DatabaseSync(file)
  database.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
  database.exec("CREATE TABLE values_by_key (key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID")
  const upsert = database.prepare(
    "INSERT INTO values_by_key VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value"
  )
  let queue: Array<{ readonly key: string; readonly value: string; readonly done: () => void }> = []
  const commit = () => {
    const group = queue.slice(0, GROUP)
    queue = queue.slice(GROUP)
    database.exec("BEGIN IMMEDIATE")
    for (const { key, value } of group) upsert.run(key, value)
    database.exec("COMMIT")
    if (queue.length > 0) setImmediate(commit)
    for (const { done } of group) done()
  }
  return {
    write: (key: string, value: string, done: () => void): void => {
      if (queue.push({ key, value, done }) === 1) setImmediate(commit)
    },
    close: () => database.close()
  }
}
