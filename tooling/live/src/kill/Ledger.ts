import type { KubeObject } from "@rollcall/api"

/** The state of a key: an object with its `revision`, or none. */
export interface State {
  readonly revision: string | undefined
  /** The mark of the last write; undefined: the object does not exist. */
  readonly mark: string | undefined
}

export const ABSENT: State = { revision: undefined, mark: undefined }

/** One key of the mixed load: one writer writes it, one write at a time. */
interface Row {
  /** The last acknowledged state. */
  acknowledged: State
  /** The mark of a write without a response, which may have happened; `mark` undefined: a delete. */
  unacknowledged: { readonly mark: string | undefined } | undefined
}

/** Records the server's responses to a load, and checks the server's state against them. */
export interface Ledger {
  readonly begin: (key: string, mark: string | undefined) => void
  readonly acknowledge: (key: string, state: State) => void
  readonly refused: (key: string) => void
  readonly last: (key: string) => State
  /** Records the content of a revision. Throws if the revision had other content before. */
  readonly record: (revision: string, what: string) => void
  /** The same, for an event of a watch. */
  readonly deliver: (revision: string, what: string) => void
  /** Returns the acknowledged revisions up to this one that no watch has delivered. */
  readonly undelivered: (kind: string, upTo: number) => ReadonlyArray<string>
  /** Compares the server's objects with the acknowledged writes, and adopts them. Throws if a write is lost. */
  readonly settle: (present: ReadonlyMap<string, State>) => void
  readonly acknowledged: () => number
}

export const must = (truth: boolean, what: () => string): void => {
  if (!truth) throw new Error(what())
}

/** The annotation by which the load recognizes its writes. */
export const MARK = "rollcall.dev/mark"

export const stateOf = ({ metadata }: KubeObject): State => ({
  revision: metadata.resourceVersion,
  mark: metadata.annotations?.[MARK]
})

const show = ({ mark, revision }: State): string => (mark === undefined ? "nothing" : `${mark} at ${revision}`)

export const makeLedger = (): Ledger => {
  const rows = new Map<string, Row>()
  const revisions = new Map<string, string>()
  const delivered = new Set<string>()
  const undelivered = new Map<string, string>()
  let acknowledged = 0
  const row = (key: string): Row => {
    const known = rows.get(key)
    if (known !== undefined) return known
    const fresh: Row = { acknowledged: ABSENT, unacknowledged: undefined }
    rows.set(key, fresh)
    return fresh
  }
  const record: Ledger["record"] = (revision, what) => {
    const before = revisions.get(revision)
    must(before === undefined || before === what, () => `revision ${revision} was used twice: ${before} and ${what}`)
    revisions.set(revision, what)
  }
  return {
    record,
    deliver: (revision, what) => {
      record(revision, what)
      delivered.add(revision)
      undelivered.delete(revision)
    },
    undelivered: (kind, upTo) =>
      [...undelivered]
        .filter(([revision, key]) => key.startsWith(`${kind}/`) && Number(revision) <= upTo)
        .map(([revision, key]) => `${key} at ${revision}`),
    begin: (key, mark) => {
      row(key).unacknowledged = { mark }
    },
    acknowledge: (key, state) => {
      const entry = row(key)
      entry.acknowledged = state
      entry.unacknowledged = undefined
      acknowledged++
      if (state.revision === undefined) return
      record(state.revision, `${key} ${state.mark}`)
      if (!delivered.has(state.revision)) undelivered.set(state.revision, key)
    },
    refused: (key) => {
      row(key).unacknowledged = undefined
    },
    last: (key) => row(key).acknowledged,
    settle: (present) => {
      for (const [key, entry] of rows) {
        const now = present.get(key) ?? ABSENT
        const { acknowledged: last, unacknowledged } = entry
        const isAcknowledged = now.mark === last.mark && now.revision === last.revision
        const isUnacknowledged = unacknowledged !== undefined && now.mark === unacknowledged.mark
        must(
          isAcknowledged || isUnacknowledged,
          () => `${key}: acknowledged was ${show(last)}, but the server has ${show(now)}`
        )
        entry.acknowledged = now
        entry.unacknowledged = undefined
      }
    },
    acknowledged: () => acknowledged
  }
}
