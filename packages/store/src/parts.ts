// Building blocks for stores: the present state and the newest changes in memory. The memory layer is built of them, and layers that add durability.

export { History } from "./internal/History.ts"
export type { MemoryState, Slot } from "./internal/MemoryState.ts"
export { lowerOf, pageAt, pageNow, pageOfPast } from "./internal/pages.ts"
export { Watchers } from "./internal/Watchers.ts"
