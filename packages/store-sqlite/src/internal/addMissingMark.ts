import type { DatabaseSync } from "node:sqlite"
import type { Revision } from "@rollcall/store"
import { presentAt } from "./inspect.ts"
import type { Findings } from "./losses.ts"
import type { Mark } from "./Mark.ts"
import { type MarkFound, markPathOf, replaceMark } from "./MarkFile.ts"

/**
 * The jump of revisions after a loss: more than a store can have written since any useful backup of it (a thousand
 * writes a second for eleven days), so that no revision that a client has seen is used again.
 */
export const REVISION_GAP = 1_000_000_000

const newIdentity = (database: DatabaseSync): string =>
  String(database.prepare("SELECT lower(hex(randomblob(16))) AS identity").get()?.identity)

/** Returns the mark of a database's contents. */
export const markNow = (database: DatabaseSync, identity: string, revision: Revision): Mark => {
  const row = database.prepare("SELECT coalesce(max(sequence), 0) AS sequence FROM changes").get()
  const sequence = Number(row?.sequence)
  return { identity, revision, sequence, ...presentAt(database, sequence) }
}

/**
 * Gives a store without a mark first a mark and then an identity: an interruption in between leaves no store with an
 * identity that lacks its mark. Returns false if the store has a mark already.
 */
export const addMissingMark = (database: DatabaseSync, file: string, findings: Findings, found: MarkFound): boolean => {
  if (findings.identity !== "") return false
  const identity = found.state === "whole" ? found.mark.identity : newIdentity(database)
  replaceMark(markPathOf(file), markNow(database, identity, findings.revision))
  database.prepare("UPDATE store SET identity = ?").run(identity)
  return true
}

/**
 * Continues without what was lost: deletes damaged rows, starts a new history, and continues revisions beyond all that
 * were used, so that a watch from one of them ends with StoreCompacted.
 */
export const acceptLosses = (database: DatabaseSync, file: string, findings: Findings, found: MarkFound): void => {
  const mark = found.state === "whole" ? found.mark : undefined
  const identity = findings.identity || mark?.identity || newIdentity(database)
  const revision = Math.max(findings.revision, mark?.revision ?? 0) + REVISION_GAP
  database.exec("BEGIN IMMEDIATE")
  try {
    const remove = database.prepare("DELETE FROM changes WHERE sequence = ?")
    for (const { sequence } of findings.damagedRows) remove.run(sequence)
    // No change has this revision: history has no gaps, so it starts with the next one.
    database.prepare("UPDATE compaction SET revision = ?").run(revision + 1)
    database.prepare("UPDATE store SET identity = ?, floor = ?").run(identity, revision)
    database.exec("COMMIT")
  } catch (cause) {
    if (database.isTransaction) database.exec("ROLLBACK")
    throw cause
  }
  replaceMark(markPathOf(file), markNow(database, identity, revision))
}
