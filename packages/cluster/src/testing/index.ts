// The contract of a cluster, and what its tests use.

export { type ClusterContractOptions, clusterContract } from "./clusterContract.ts"
export { frozen } from "./frozen.ts"
