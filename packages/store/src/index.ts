export { layerMemory, type MemoryOptions, makeMemoryStore } from "./Memory.ts"
export { endOfPrefix, SortedKeys } from "./SortedKeys.ts"
export * from "./Store.ts"
