// The contract of a cluster, and what tests of its clients use.

export { type ClusterContractOptions, clusterContract } from "./clusterContract.ts"
export { type Answered, FakeServer } from "./FakeServer.ts"
export { frozen } from "./frozen.ts"
export { refusal, refused } from "./refusal.ts"
