export { type ClusterContractOptions, clusterContract } from "./clusterContract.ts"
export { type WatchLog, watchLog } from "./WatchLog.ts"
