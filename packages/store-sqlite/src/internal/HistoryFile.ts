import type { DatabaseSync, StatementSync } from "node:sqlite"
import type { Revision } from "@rollcall/store"
import { changeRow, pastRow, type Row, storedRow } from "./readRow.ts"
import { rowSum } from "./rowSum.ts"
import type { ChangePage, NewRows, PastRow, Position, Sequence, StoredRow } from "./rows.ts"

/** The minimum number of rows that one sweep of compacted rows examines. */
const MIN_SWEEP_ROWS = 64

/** The table of changes in the file: appends, reads past states, compacts. It is synchronous and owns its connection. */
export class HistoryFile {
  private readonly database: DatabaseSync
  private readonly begin: StatementSync
  private readonly commit: StatementSync
  private readonly insert: StatementSync
  private readonly remove: StatementSync
  private readonly firstRowFrom: StatementSync
  private readonly supersedingRows: StatementSync
  private readonly pastRows: StatementSync
  private readonly changeRows: StatementSync
  private compacted: Revision
  /** Rows up to this one have been swept. Not stored: sweeping again finds nothing to do. */
  private sweptTo: Sequence = 0
  /** The first row of the kept history. */
  private sweepEnd: Sequence
  private currentRowsIterator: Iterator<Row> | undefined
  /** The minimum revision: after a loss, more revisions were used than the file has. */
  private readonly floor: Revision

  constructor(database: DatabaseSync) {
    this.database = database
    this.begin = database.prepare("BEGIN IMMEDIATE")
    this.commit = database.prepare("COMMIT")
    this.insert = database.prepare(
      "INSERT INTO changes (sequence, revision, created, previous, key, value, sum) VALUES (?, ?, ?, ?, ?, ?, ?)"
    )
    this.remove = database.prepare("DELETE FROM changes WHERE sequence = ?")
    this.firstRowFrom = database.prepare(
      "SELECT sequence, revision FROM changes WHERE sequence >= ? ORDER BY sequence LIMIT 1"
    )
    this.supersedingRows = database.prepare(
      `SELECT sequence, previous, value IS NULL AS gone FROM changes WHERE sequence > ? AND sequence < ?
       ORDER BY sequence LIMIT ?`
    )
    // SQLite takes the other columns of min() from the row that has the minimum.
    this.pastRows = database.prepare(
      `SELECT c.key AS changed, p.* FROM (
         SELECT key, previous, min(sequence) FROM changes
         WHERE sequence >= ? AND substr(key, 1, length(?)) = ? GROUP BY key
       ) c LEFT JOIN changes p ON p.sequence = c.previous`
    )
    this.changeRows = database.prepare(
      `SELECT c.*, p.revision AS beforeRevision, p.created AS beforeCreated, p.previous AS beforePrevious,
         p.value AS beforeValue, p.sum AS beforeSum
       FROM changes c LEFT JOIN changes p ON p.sequence = c.previous
       WHERE c.sequence BETWEEN ? AND ? AND substr(c.key, 1, length(?)) = ? ORDER BY c.sequence`
    )
    this.compacted = Number(database.prepare("SELECT revision FROM compaction").get()?.revision)
    this.floor = Number(database.prepare("SELECT floor FROM store").get()?.floor)
    this.sweepEnd = this.firstFrom(this.compacted)
  }

  position(): Position {
    const newest = this.database.prepare("SELECT sequence, revision FROM changes ORDER BY sequence DESC LIMIT 1").get()
    return {
      revision: Math.max(Number(newest?.revision ?? 0), this.floor),
      sequence: Number(newest?.sequence ?? 0),
      compacted: this.compacted
    }
  }

  /**
   * Returns the rows of the current state, a page at a time; an empty page is the end. It must be read to its end before
   * any other call.
   */
  currentRows(limit: number): ReadonlyArray<StoredRow> {
    this.currentRowsIterator ??= this.allCurrentRows()
    const page: Array<StoredRow> = []
    while (page.length < limit) {
      const next = this.currentRowsIterator.next()
      if (next.done === true) break
      page.push(storedRow(next.value))
    }
    if (page.length === 0) this.currentRowsIterator = undefined
    return page
  }

  /** A generator, because SQLite's own iterator starts again after its end on Node 22. */
  private *allCurrentRows(): Generator<Row> {
    yield* this.database
      .prepare(
        `SELECT sequence, revision, created, previous, key, value, sum FROM changes
         WHERE value IS NOT NULL AND sequence NOT IN (SELECT previous FROM changes)`
      )
      .iterate()
  }

  /** Appends all rows durably, or none, and sweeps a few rows in the same transaction. */
  append(rows: NewRows): void {
    this.inTransaction(() => {
      for (let at = 0; at < rows.keys.length; at++) this.insertRow(rows, at)
      return this.sweepRows(Math.max(MIN_SWEEP_ROWS, 2 * rows.keys.length))
    })
  }

  private insertRow(rows: NewRows, at: number): void {
    const sequence = rows.sequences[at] as Sequence
    const revision = rows.revisions[at] as Revision
    const created = rows.created[at] as Revision
    const previous = rows.previous[at] as Sequence
    const key = rows.keys[at] as string
    const value = rows.values[at] as string | null
    const sum = rowSum(sequence, revision, created, previous, key, value)
    this.insert.run(sequence, revision, created, previous, key, value, sum)
  }

  /** Marks the history before this revision as compacted. Its rows are deleted step by step. */
  compact(revision: Revision): void {
    if (revision <= this.compacted) return
    this.database.prepare("UPDATE compaction SET revision = ?").run(revision)
    this.compacted = revision
    this.sweepEnd = this.firstFrom(revision)
  }

  /** Deletes one step of compacted rows; returns true when there are more. */
  sweep(): boolean {
    if (this.sweptTo < this.sweepEnd - 1) this.inTransaction(() => this.sweepRows(8 * MIN_SWEEP_ROWS))
    return this.sweptTo < this.sweepEnd - 1
  }

  /** Returns the rows under the prefix as they were before each key's first change after the revision. */
  past(prefix: string, revision: Revision): ReadonlyArray<PastRow> {
    return this.pastRows.all(this.firstFrom(revision + 1), prefix, prefix).map(pastRow)
  }

  /** Returns all changes under the prefix for some revisions after this one, and the last of those revisions. */
  changes(prefix: string, after: Revision, limit: number): ChangePage {
    const first = this.firstFrom(after + 1)
    const until = this.endOfBatch(first + limit - 1)
    const changes = this.changeRows.all(first, until.sequence, prefix, prefix).map(changeRow)
    return { changes, until: Math.max(after, until.revision) }
  }

  /** Returns the last row of this row's batch; the newest row when this row does not exist. */
  private endOfBatch(sequence: Sequence): { readonly sequence: Sequence; readonly revision: Revision } {
    const { revision: newest, sequence: last } = this.position()
    const row = this.firstRowFrom.get(sequence)
    if (row === undefined) return { sequence: last, revision: newest }
    const revision = Number(row.revision)
    return { sequence: this.firstFrom(revision + 1) - 1, revision }
  }

  /**
   * Returns the first row of this revision or a later one, or the next row number when there is none: both columns
   * increase together.
   */
  private firstFrom(revision: Revision): Sequence {
    let low = 1
    let high = this.position().sequence + 1
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      const row = this.firstRowFrom.get(middle)
      if (row === undefined || Number(row.revision) >= revision) high = middle
      else low = Number(row.sequence) + 1
    }
    return low
  }

  /**
   * Examines the next rows up to `sweepEnd`, at most `limit`: deletes the row that each one superseded, and the row itself
   * if it records a delete. Returns the last row that it examined.
   */
  private sweepRows(limit: number): Sequence {
    if (this.sweptTo >= this.sweepEnd - 1) return this.sweptTo
    const rows = this.supersedingRows.all(this.sweptTo, this.sweepEnd, limit)
    for (const { gone, previous, sequence } of rows) {
      if (previous !== 0) this.remove.run(previous as number)
      if (gone === 1) this.remove.run(sequence as number)
    }
    return rows.length < limit ? this.sweepEnd - 1 : Number(rows[rows.length - 1]?.sequence)
  }

  private inTransaction(body: () => Sequence): void {
    this.begin.run()
    try {
      const sweptTo = body()
      this.commit.run()
      this.sweptTo = sweptTo
    } catch (cause) {
      if (this.database.isTransaction) this.database.exec("ROLLBACK")
      throw cause
    }
  }
}
