import type { SortedKeys } from "../SortedKeys.ts"
import type { Entry } from "../Store.ts"

/**
 * The location of a key's entry: the `Place` of this layer. It lives as long as the key, so that a write looks the key up
 * once, or not at all if its caller passes the place.
 */
export class Slot {
  /** Undefined once the key is deleted; a key that is created again has another slot. */
  current: Entry | undefined

  constructor(current: Entry) {
    this.current = current
  }
}

/** The current state: the entry of each key, and the keys in order. */
export interface MemoryState {
  readonly slots: Map<string, Slot>
  readonly keys: SortedKeys
}
