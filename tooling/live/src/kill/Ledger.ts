import type { KubeObject } from "@rollcall/api"

/** What a key may hold: `revision` of a state, or nothing. */
export interface State {
  readonly revision: string | undefined
  /** What the write said of itself; undefined: the object is not there. */
  readonly mark: string | undefined
}

export const ABSENT: State = { revision: undefined, mark: undefined }

/** One key of the mixed load: one writer writes it, one write at a time. */
interface Row {
  /** What the server has acknowledged last. */
  acknowledged: State
  /** The mark of a write whose answer never came: it may have happened. `undefined` within: a delete. */
  unheard: { readonly mark: string | undefined } | undefined
}

/** All that a load was told by the server, and what must be true of the server because of it. */
export interface Ledger {
  readonly begin: (key: string, mark: string | undefined) => void
  readonly acknowledge: (key: string, state: State) => void
  readonly refused: (key: string) => void
  readonly last: (key: string) => State
  /** Some part of the server says that this is what a revision holds. Throws when another part said otherwise. */
  readonly witness: (revision: string, what: string) => void
  /** The same, of an event that a watch told. */
  readonly tell: (revision: string, what: string) => void
  /** Acknowledged revisions up to this one that no watch has told of. */
  readonly untold: (kind: string, upTo: number) => ReadonlyArray<string>
  /** Holds the server's present against what was acknowledged, and takes it as known. Throws when a write is lost. */
  readonly settle: (present: ReadonlyMap<string, State>) => void
  readonly acknowledged: () => number
}

export const must = (truth: boolean, what: () => string): void => {
  if (!truth) throw new Error(what())
}

/** What the load writes into an object, to know it again. */
export const MARK = "rollcall.dev/mark"

export const stateOf = ({ metadata }: KubeObject): State => ({
  revision: metadata.resourceVersion,
  mark: metadata.annotations?.[MARK]
})

const show = ({ mark, revision }: State): string => (mark === undefined ? "nothing" : `${mark} at ${revision}`)

export const makeLedger = (): Ledger => {
  const rows = new Map<string, Row>()
  const revisions = new Map<string, string>()
  const told = new Set<string>()
  const untold = new Map<string, string>()
  let acknowledged = 0
  const row = (key: string): Row => {
    const known = rows.get(key)
    if (known !== undefined) return known
    const fresh: Row = { acknowledged: ABSENT, unheard: undefined }
    rows.set(key, fresh)
    return fresh
  }
  const witness: Ledger["witness"] = (revision, what) => {
    const before = revisions.get(revision)
    must(before === undefined || before === what, () => `revision ${revision} was used twice: ${before} and ${what}`)
    revisions.set(revision, what)
  }
  return {
    witness,
    tell: (revision, what) => {
      witness(revision, what)
      told.add(revision)
      untold.delete(revision)
    },
    untold: (kind, upTo) =>
      [...untold]
        .filter(([revision, key]) => key.startsWith(`${kind}/`) && Number(revision) <= upTo)
        .map(([revision, key]) => `${key} at ${revision}`),
    begin: (key, mark) => {
      row(key).unheard = { mark }
    },
    acknowledge: (key, state) => {
      const entry = row(key)
      entry.acknowledged = state
      entry.unheard = undefined
      acknowledged++
      if (state.revision === undefined) return
      witness(state.revision, `${key} ${state.mark}`)
      if (!told.has(state.revision)) untold.set(state.revision, key)
    },
    refused: (key) => {
      row(key).unheard = undefined
    },
    last: (key) => row(key).acknowledged,
    settle: (present) => {
      for (const [key, entry] of rows) {
        const now = present.get(key) ?? ABSENT
        const { acknowledged: told, unheard } = entry
        const asTold = now.mark === told.mark && now.revision === told.revision
        const asUnheard = unheard !== undefined && now.mark === unheard.mark
        must(asTold || asUnheard, () => `${key}: acknowledged was ${show(told)}, and the server has ${show(now)}`)
        entry.acknowledged = now
        entry.unheard = undefined
      }
    },
    acknowledged: () => acknowledged
  }
}
