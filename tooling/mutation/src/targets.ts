/** A package whose decisions are mutated. */
export interface Target {
  /** The folder of the package. */
  readonly name: string
  /** The files as globs below the package; a glob that starts with ! leaves files out. */
  readonly mutate: ReadonlyArray<string>
}

/** The files with decisions. Drivers, ports, types and indexes are left out: only rehearsals could detect a mutant there. */
export const targets: ReadonlyArray<Target> = [
  { name: "eviction", mutate: ["src/*.ts", "!src/index.ts", "!src/{EvictionLimiter,serveZones}.ts"] },
  {
    name: "node-controller",
    mutate: [
      "src/{DisruptionTarget,Taints}.ts",
      "src/lifecycle/{ConditionTaints,LabelReconcile,NoExecuteDecision,NodeHealth,PodDeletion,PodReadiness,ZoneKey}.ts",
      "src/podgc/PodGc.ts",
      "src/tainteviction/TaintEviction.ts",
      "src/cloud/{initializeNode,judgeInstance,nodeAddresses,oldInstances,topologyLabels}.ts",
      "src/ipam/{CidrSet,IPRange,RangeAllocator,maskSizes}.ts"
    ]
  },
  { name: "shutdown", mutate: ["src/config/*.ts", "src/lint/*.ts", "src/plan/*.ts", "src/state/stateText.ts"] },
  {
    name: "topology",
    mutate: [
      "src/masks.ts",
      "src/hints.ts",
      "src/manager/{closest,compareHints,mergeHints,policies,policyOptions,refusal}.ts",
      "src/cpu/{CpuPolicyOptions,CpuSet,CpuState,StaticPolicy,cpuHints,exclusiveCpus,podCpus,reconcileCpus}.ts",
      "src/cpu/selection/*.ts",
      "src/memory/{InitReuse,allocateMemory,partitionPodMemory,memoryHints,requests,reservedMemory}.ts"
    ]
  },
  { name: "scheduler", mutate: ["src/plugins/*.ts"] },
  {
    name: "drain",
    mutate: [
      "src/{PodFilters,podsForDeletion}.ts",
      "src/plan/{BudgetLedger,explainBudget,missingFlags,replacementPolicy,timing}.ts"
    ]
  }
]
