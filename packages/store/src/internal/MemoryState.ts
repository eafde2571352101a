import type { SortedKeys } from "../SortedKeys.ts"
import type { Entry } from "../Store.ts"

/** The present state: what is under each key, and the keys in order. */
export interface MemoryState {
  readonly entries: Map<string, Entry>
  readonly keys: SortedKeys
}
