import type { DatabaseSync } from "node:sqlite"
import type { Revision } from "@rollcall/store"
import { HistoryFile } from "./HistoryFile.ts"
import { type OpenOptions, openFile } from "./openFile.ts"
import { damaged, messageOf, type Reason, Refusal } from "./Refusal.ts"
import type { ChangePage, NewRows, PastRow, Position, StoredRow } from "./rows.ts"

/** What can be asked of the thread that owns the file. It answers in the order of the questions. */
export interface Calls {
  readonly open: (options: OpenOptions) => Position
  readonly present: (limit: number) => ReadonlyArray<StoredRow>
  readonly append: (rows: NewRows) => void
  readonly past: (asked: { readonly prefix: string; readonly revision: Revision }) => ReadonlyArray<PastRow>
  readonly changes: (asked: { readonly prefix: string; readonly after: Revision; readonly limit: number }) => ChangePage
  readonly compact: (revision: Revision) => void
  /** True when there is more to sweep. */
  readonly sweep: (nothing: undefined) => boolean
  readonly close: (nothing: undefined) => void
}

export type Name = keyof Calls
export type Input<K extends Name> = Parameters<Calls[K]>[0]

/** A call as it goes to the thread. */
export type Message = { readonly [K in Name]: { readonly name: K; readonly input: Input<K> } }[Name]

export type Answer<A> =
  | { readonly ok: true; readonly value: A }
  | { readonly ok: false; readonly message: string; readonly reason?: Reason }

/** The calls, answered by one file. */
export const makeCalls = (): Calls => {
  let database: DatabaseSync | undefined
  let history: HistoryFile | undefined
  const opened = (): HistoryFile => {
    if (history === undefined) throw new Error("the file is not open")
    return history
  }
  return {
    open: (options) => {
      database = openFile(options)
      try {
        history = new HistoryFile(database)
        return history.position()
      } catch (cause) {
        // It bears our name and is a whole database, but its tables are not what that name promises.
        throw damaged(options.file, messageOf(cause))
      }
    },
    present: (limit) => opened().present(limit),
    append: (rows) => opened().append(rows),
    past: ({ prefix, revision }) => opened().past(prefix, revision),
    changes: ({ after, limit, prefix }) => opened().changes(prefix, after, limit),
    compact: (revision) => opened().compact(revision),
    sweep: () => opened().sweep(),
    close: () => {
      history = undefined
      if (database?.isOpen === true) database.close()
    }
  }
}

export const answerTo = (calls: Calls, { input, name }: Message): Answer<unknown> => {
  const call = calls[name] as (input: unknown) => unknown
  try {
    return { ok: true, value: call(input) }
  } catch (cause) {
    const message = messageOf(cause)
    return cause instanceof Refusal ? { ok: false, message, reason: cause.reason } : { ok: false, message }
  }
}
