import type { DatabaseSync } from "node:sqlite"
import type { Findings } from "./losses.ts"
import type { MarkFound } from "./MarkFile.ts"
import { rowSum } from "./rowSum.ts"
import type { Sequence } from "./rows.ts"

/** Formats before this one have neither checksums nor an identity. */
const FIRST_WITH_MARK = 2

const numberOf = (database: DatabaseSync, sql: string, ...values: ReadonlyArray<number>): number =>
  Number(Object.values(database.prepare(sql).get(...values) ?? {})[0] ?? 0)

interface DamagedRow {
  readonly sequence: Sequence
  readonly key: string
}

/** Returns every damaged row. Reads all values: for a store that is being repaired. */
const damagedRowsIn = (database: DatabaseSync): ReadonlyArray<DamagedRow> => {
  const damaged: Array<DamagedRow> = []
  const rows = database.prepare("SELECT sequence, revision, created, previous, key, value, sum FROM changes").iterate()
  for (const row of rows) {
    const { created, previous, revision, sequence } = row as Record<string, number>
    const { key, sum, value } = row as { key: string; sum: number | null; value: string | null }
    const rowNumber = sequence as number
    const isIntact =
      sum === null
        ? isJson(value)
        : sum === rowSum(rowNumber, revision as number, created as number, previous as number, key, value)
    if (!isIntact) damaged.push({ sequence: rowNumber, key })
  }
  return damaged
}

const isJson = (value: string | null): boolean => {
  try {
    if (value !== null) JSON.parse(value)
    return true
  } catch {
    return false
  }
}

export interface InspectOptions {
  readonly found: MarkFound
  /** Whether to check every value, too. Otherwise a value is checked when it is read. */
  readonly readsValues: boolean
}

/** Returns what a store's tables contain, as of its mark where it has one. A file without tables has no rows. */
export const inspect = (database: DatabaseSync, { found, readsValues }: InspectOptions): Findings => {
  const version = numberOf(database, "PRAGMA user_version")
  const hasMark = version >= FIRST_WITH_MARK
  if (version === 0) {
    return { identity: "", revision: 0, keys: 0, live: 0, missingRows: 0, damagedRows: [] }
  }
  const newest = database.prepare("SELECT sequence, revision FROM changes ORDER BY sequence DESC LIMIT 1").get()
  const last = Number(newest?.sequence ?? 0)
  const store = hasMark ? database.prepare("SELECT identity, floor FROM store").get() : undefined
  const lastSequence = found.state === "whole" ? found.mark.sequence : last
  const { keys, live } = presentAt(database, lastSequence)
  return {
    identity: String(store?.identity ?? ""),
    revision: Math.max(Number(newest?.revision ?? 0), Number(store?.floor ?? 0)),
    keys,
    live,
    missingRows: missingRowsIn(database, last),
    damagedRows: readsValues && hasMark ? damagedRowsIn(database) : []
  }
}

/**
 * Counts the rows that the history lacks. From the compacted revision on nothing is ever deleted: each revision has a
 * row, and row numbers have no gaps.
 */
const missingRowsIn = (database: DatabaseSync, last: Sequence): number => {
  const row = database
    .prepare(
      `SELECT count(*) AS kept, min(h.sequence) AS first, min(h.revision) AS oldest, c.revision AS compacted
       FROM changes h, compaction c WHERE h.revision >= c.revision`
    )
    .get()
  const { compacted, first, kept, oldest } = row as Record<"compacted" | "first" | "kept" | "oldest", number | null>
  if (kept === 0 || first === null || oldest === null) return 0
  return last - first + 1 - Number(kept) + Math.max(0, oldest - Number(compacted) - 1)
}

/** Returns the number of keys that are present after a row, and the sum of their row numbers. */
export const presentAt = (
  database: DatabaseSync,
  lastSequence: Sequence
): { readonly keys: number; readonly live: number } => {
  const row = database
    .prepare(
      `SELECT count(*) AS keys, coalesce(sum(sequence), 0) % 281474976710656 AS live FROM changes
       WHERE sequence <= ?1 AND value IS NOT NULL
         AND sequence NOT IN (SELECT previous FROM changes WHERE sequence <= ?1)`
    )
    .get(lastSequence)
  return { keys: Number(row?.keys), live: Number(row?.live) }
}
