import type { DatabaseSync } from "node:sqlite"
import type { Revision } from "@rollcall/store"
import { HistoryFile } from "./HistoryFile.ts"
import { MarkFile, markPathOf } from "./MarkFile.ts"
import { type Opened, type OpenOptions, openFile } from "./openFile.ts"
import { damaged, lost, messageOf, type Reason, Refusal } from "./Refusal.ts"
import { DamagedRow } from "./readRow.ts"
import type { ChangePage, NewRows, PastRow, Position, StoredRow } from "./rows.ts"

/** The calls that the thread that owns the file answers, in order. They throw. */
export interface Calls {
  readonly open: (options: OpenOptions) => OpenedFile
  readonly currentRows: (limit: number) => ReadonlyArray<StoredRow>
  readonly append: (rows: NewRows) => void
  readonly past: (asked: { readonly prefix: string; readonly revision: Revision }) => ReadonlyArray<PastRow>
  readonly changes: (asked: { readonly prefix: string; readonly after: Revision; readonly limit: number }) => ChangePage
  readonly compact: (revision: Revision) => void
  /** Returns true when there is more to sweep. */
  readonly sweep: (nothing: undefined) => boolean
  /** Starts flushing the mark file to the disk, without waiting. */
  readonly sync: (nothing: undefined) => void
  readonly close: (nothing: undefined) => void
}

export interface OpenedFile extends Pick<Opened, "losses" | "isNewlyMarked"> {
  readonly position: Position
}

export type CallName = keyof Calls
export type CallInput<K extends CallName> = Parameters<Calls[K]>[0]

/** A call as a message to the thread. */
export type Message = { readonly [K in CallName]: { readonly name: K; readonly input: CallInput<K> } }[CallName]

export type Answer<A> =
  | { readonly ok: true; readonly value: A }
  | { readonly ok: false; readonly message: string; readonly reason?: Reason }

/** Implements the calls for one file. */
export const makeCalls = (): Calls => {
  let database: DatabaseSync | undefined
  let history: HistoryFile | undefined
  let mark: MarkFile | undefined
  let file = ""
  const opened = (): HistoryFile => {
    if (history === undefined) throw new Error("the file is not open")
    return history
  }
  const openedAndRecorded = (): HistoryFile => {
    mark?.requireCurrent()
    return opened()
  }
  return {
    open: (options) => {
      const { database: connection, isNewlyMarked, losses, mark: acknowledged } = openFile(options)
      database = connection
      try {
        history = new HistoryFile(database)
        mark = new MarkFile(markPathOf(options.file), acknowledged)
        ;({ file } = options)
        return { position: history.position(), losses, isNewlyMarked }
      } catch (cause) {
        // The file has Rollcall's application id and is a valid database, but its tables are not those of its format.
        throw damaged(options.file, messageOf(cause))
      }
    },
    currentRows: (limit) => {
      try {
        return opened().currentRows(limit)
      } catch (cause) {
        throw cause instanceof DamagedRow ? lost(file, [`${file}: ${cause.message}`]) : cause
      }
    },
    append: (rows) => {
      openedAndRecorded().append(rows)
      mark?.record(rows)
    },
    past: ({ prefix, revision }) => opened().past(prefix, revision),
    changes: ({ after, limit, prefix }) => opened().changes(prefix, after, limit),
    compact: (revision) => openedAndRecorded().compact(revision),
    sweep: () => openedAndRecorded().sweep(),
    sync: () => mark?.sync(),
    close: () => {
      history = undefined
      try {
        mark?.close()
      } finally {
        mark = undefined
        if (database?.isOpen === true) database.close()
      }
    }
  }
}

/** Makes a call, and returns its result or the error that it threw as an answer. */
export const answerTo = (calls: Calls, { input, name }: Message): Answer<unknown> => {
  const call = calls[name] as (input: unknown) => unknown
  try {
    return { ok: true, value: call(input) }
  } catch (cause) {
    const message = messageOf(cause)
    return cause instanceof Refusal ? { ok: false, message, reason: cause.reason } : { ok: false, message }
  }
}
