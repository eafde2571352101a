/** Reports of the next evictions, for people and for programs. */

export { type ClusterObjects, type EvictionReport, reportEvictions } from "./EvictionReport.ts"
export { renderEvictionsJson } from "./evictionsJson.ts"
export { renderEvictionsTable } from "./evictionsTable.ts"
