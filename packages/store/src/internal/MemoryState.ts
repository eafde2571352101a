import type { SortedKeys } from "../SortedKeys.ts"
import type { Entry } from "../Store.ts"

/** A key's place. It stays while the key does, so that a write to it looks it up once. */
export interface Slot {
  current: Entry
}

/** The present state: what is under each key, and the keys in order. */
export interface MemoryState {
  readonly slots: Map<string, Slot>
  readonly keys: SortedKeys
}
