export { layerSqlite, openSqliteStore, type SqliteOptions } from "./SqliteStore.ts"
export { StoreFileRefused } from "./StoreFileRefused.ts"
