export { closest, type Fitter, type NumaDistances, narrowest } from "./closest.ts"
export { betterHint, type MergedHint } from "./compareHints.ts"
export {
  isTopologyPolicyName,
  type Merge,
  type MergeResult,
  mergeOf,
  type TopologyPolicyName,
  topologyPolicyNames
} from "./policies.ts"
export { parseTopologyPolicyOptions, type TopologyPolicyOptions } from "./policyOptions.ts"
export { type PodRefusal, refusalOf } from "./refusal.ts"
export { type TopologyScopeName, topologyScopeNames } from "./scopes.ts"
export { makeTopologyManager, type TopologyManager, type TopologyManagerOptions } from "./TopologyManager.ts"
