/**
 * What a layer is made of that keeps the present and the newest changes in memory, wherever else it keeps them: the memory layer
 * itself, and layers that add durability.
 */
export { History, keyOfChange } from "./internal/History.ts"
export type { MemoryState, Slot } from "./internal/MemoryState.ts"
export { lowerOf, pageAt, pageNow, pageOfPast } from "./internal/pages.ts"
export { Watchers } from "./internal/Watchers.ts"
