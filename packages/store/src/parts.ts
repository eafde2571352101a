// Building blocks of stores: the current state and the newest changes in memory. The memory layer uses them, and so do layers that add durability.

export { History } from "./internal/History.ts"
export type { MemoryState, Slot } from "./internal/MemoryState.ts"
export { currentPage, lowerBoundOf, pageFromHistory, pageOfPastState } from "./internal/pages.ts"
export { Watchers } from "./internal/Watchers.ts"
