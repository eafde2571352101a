// What a store of your own can be built of.

export { History } from "./internal/History.ts"
export type { MemoryState, Slot } from "./internal/MemoryState.ts"
export { lowerOf, pageAt, pageNow, pageOfPast } from "./internal/pages.ts"
export { Watchers } from "./internal/Watchers.ts"
