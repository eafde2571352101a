/** Reports of the next evictions, for people and for programs. */

export { type EvictionReport, reportEvictions, type SeenCluster } from "./EvictionReport.ts"
export { renderEvictionsJson } from "./evictionsJson.ts"
export { renderEvictionsTable } from "./evictionsTable.ts"
