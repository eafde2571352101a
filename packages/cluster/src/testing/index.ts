// The contract of a cluster, and what tests of its clients use.

export { type ClusterContractOptions, clusterContract } from "./clusterContract.ts"
export { FakeServer, refusal } from "./FakeServer.ts"
export { frozen } from "./frozen.ts"
