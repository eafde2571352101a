/** What will be evicted next, for a person and for programs. */

export { type EvictionReport, reportEvictions, type SeenCluster, type UnseenKind } from "./EvictionReport.ts"
export { renderEvictionsJson } from "./evictionsJson.ts"
export { renderEvictionsTable } from "./evictionsTable.ts"
