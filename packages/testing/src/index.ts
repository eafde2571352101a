export { type PromiseClient, type StartedCluster, type StartedFault, startCluster } from "./startCluster.ts"
export {
  type ClusterOptions,
  type FaultError,
  type FaultOptions,
  type RunningFault,
  type StartError,
  TestCluster,
  type TestClusterShape
} from "./TestCluster.ts"
