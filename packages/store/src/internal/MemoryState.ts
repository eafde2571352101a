import type { SortedKeys } from "../SortedKeys.ts"
import type { Entry } from "../Store.ts"

/** A key's place. It stays while the key does, so that a write to it looks it up once, or never if it knows it. */
export class Slot {
  /** Undefined once the key is deleted; the key's next life has another slot. */
  current: Entry | undefined

  constructor(current: Entry) {
    this.current = current
  }
}

/** The present state: what is under each key, and the keys in order. */
export interface MemoryState {
  readonly slots: Map<string, Slot>
  readonly keys: SortedKeys
}
