// The thread of a store, without the store.

export { startThread } from "./Journal.ts"
