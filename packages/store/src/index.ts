// The store, and one in memory.

export { layerMemory, type MemoryOptions, makeMemoryStore } from "./Memory.ts"
export {
  type Change,
  type Entry,
  type Operation,
  type Place,
  type QuietSource,
  type QuietWrites,
  type RangeOptions,
  type RangePage,
  type Revision,
  Store,
  StoreCompacted,
  StoreConflict,
  type StoredValue,
  StoreFailure,
  type StoreShape,
  type StoreSink
} from "./Store.ts"

// Keys in order.

export { SortedKeys } from "./SortedKeys.ts"
