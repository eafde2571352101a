import type { Change, Entry, Operation, Revision } from "../Store.ts"

/** The simplest correct store: it keeps every state it ever had. The contract's property test compares with it. */
export class Model {
  revision: Revision = 0
  /** The state after each revision. */
  readonly states: Array<ReadonlyMap<string, Entry>> = [new Map()]
  readonly changes: Array<Change> = []

  get current(): ReadonlyMap<string, Entry> {
    return this.states[this.revision] as ReadonlyMap<string, Entry>
  }

  /** Returns the answer of a correct store: a revision, or the first key whose `expect` does not hold. */
  write(batch: ReadonlyArray<Operation>): Revision | { readonly conflict: string; readonly actual: Revision } {
    const before = this.current
    for (const { key, expect } of batch) {
      const actual = before.get(key)?.modRevision ?? 0
      if (expect !== undefined && expect !== actual) return { conflict: key, actual }
    }
    const after = new Map(before)
    const revision = this.revision + 1
    let changed = false
    for (const operation of batch) {
      const { key } = operation
      const previous = before.get(key)
      if (operation.type === "put") {
        const createRevision = previous?.createRevision ?? revision
        const entry: Entry = { key, value: operation.value, createRevision, modRevision: revision }
        after.set(key, entry)
        this.changes.push({ type: "put", entry, previous })
      } else {
        if (previous === undefined) continue
        after.delete(key)
        this.changes.push({ type: "delete", key, revision, previous })
      }
      changed = true
    }
    if (changed) {
      this.states.push(after)
      this.revision = revision
    }
    return this.revision
  }

  entriesAt(revision: Revision, prefix: string): ReadonlyArray<Entry> {
    const state = this.states[revision] as ReadonlyMap<string, Entry>
    return [...state.values()]
      .filter((entry) => entry.key.startsWith(prefix))
      .sort((left, right) => (left.key < right.key ? -1 : 1))
  }
}
