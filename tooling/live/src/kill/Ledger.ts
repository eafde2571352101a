import type { KubeObject } from "@rollcall/api"

/** The state of a key of the load: an object, or its absence. */
export interface State {
  /** The object's resourceVersion. Undefined if the object does not exist. */
  readonly revision: string | undefined
  /** The mark of the object's last write. Undefined if the object does not exist. */
  readonly mark: string | undefined
  /** True if the object has a deletionTimestamp. */
  readonly isTerminating: boolean
}

export const NO_OBJECT: State = { revision: undefined, mark: undefined, isTerminating: false }

/** One key of the mixed load: one writer writes it, one write at a time. */
interface Row {
  /** The last acknowledged state. */
  acknowledged: State
  /**
   * The mark of a write without a response, which may have been stored or not. Its `mark` is undefined if the write is
   * a delete.
   */
  unacknowledged: { readonly mark: string | undefined } | undefined
}

/** Records the server's responses to a load, and checks the server's state against them. */
export interface Ledger {
  /** Records that a write with this mark is sent; undefined for a delete. */
  readonly begin: (key: string, mark: string | undefined) => void
  /** Records the state that the response to a write contained. */
  readonly acknowledge: (key: string, state: State) => void
  /** Records that the server rejected the write, so it is not stored. */
  readonly refused: (key: string) => void
  /** Returns the last acknowledged state. */
  readonly last: (key: string) => State
  /** Records the content of a revision. Throws if the revision had other content before. */
  readonly record: (revision: string, content: string) => void
  /** Records the content of a revision that a watch delivered. Throws as `record` does. */
  readonly deliver: (revision: string, content: string) => void
  /** Returns the acknowledged revisions up to this one that no watch has delivered. */
  readonly undelivered: (kind: string, upTo: number) => ReadonlyArray<string>
  /**
   * Compares the server's objects after a restart with the acknowledged writes, and records them as acknowledged.
   * Throws if a write is lost.
   */
  readonly settle: (present: ReadonlyMap<string, State>) => void
  /** Returns the number of acknowledged writes. */
  readonly acknowledged: () => number
}

/** Throws an error with the message unless the condition holds. */
export const assertThat = (condition: boolean, message: () => string): void => {
  if (!condition) throw new Error(message())
}

/** The annotation by which the load recognizes its writes. */
export const MARK = "rollcall.dev/mark"

export const stateOf = ({ metadata }: KubeObject): State => ({
  revision: metadata.resourceVersion,
  mark: metadata.annotations?.[MARK],
  isTerminating: metadata.deletionTimestamp !== undefined
})

/**
 * Returns true if the server stopped in the middle of a delete without a response. A forced delete is two writes: the
 * first sets the deletionTimestamp, the second removes the object.
 */
const isHalfDeleted = ({ acknowledged: last, unacknowledged }: Row, now: State): boolean =>
  unacknowledged !== undefined &&
  unacknowledged.mark === undefined &&
  now.isTerminating &&
  now.mark === last.mark &&
  Number(now.revision) > Number(last.revision)

const describeState = ({ mark, revision }: State): string => (mark === undefined ? "nothing" : `${mark} at ${revision}`)

export const makeLedger = (): Ledger => {
  const rows = new Map<string, Row>()
  const revisions = new Map<string, string>()
  const delivered = new Set<string>()
  const undelivered = new Map<string, string>()
  let acknowledged = 0
  const row = (key: string): Row => {
    const known = rows.get(key)
    if (known !== undefined) return known
    const fresh: Row = { acknowledged: NO_OBJECT, unacknowledged: undefined }
    rows.set(key, fresh)
    return fresh
  }
  const record: Ledger["record"] = (revision, content) => {
    const before = revisions.get(revision)
    assertThat(
      before === undefined || before === content,
      () => `revision ${revision} was used twice: ${before} and ${content}`
    )
    revisions.set(revision, content)
  }
  return {
    record,
    deliver: (revision, content) => {
      record(revision, content)
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
        const now = present.get(key) ?? NO_OBJECT
        const { acknowledged: last, unacknowledged } = entry
        const isAcknowledged = now.mark === last.mark && now.revision === last.revision
        const isUnacknowledged = unacknowledged !== undefined && now.mark === unacknowledged.mark
        assertThat(
          isAcknowledged || isUnacknowledged || isHalfDeleted(entry, now),
          () => `${key}: acknowledged was ${describeState(last)}, but the server has ${describeState(now)}`
        )
        entry.acknowledged = now
        entry.unacknowledged = undefined
      }
    },
    acknowledged: () => acknowledged
  }
}
