export { type ClusterContractOptions, clusterContract } from "./clusterContract.ts"
export { frozen } from "./frozen.ts"
export { type WatchLog, watchLog } from "./WatchLog.ts"
