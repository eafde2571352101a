import type { NodeInfo } from "../cache/CacheRecords.ts"
import type { ScorePlugin } from "../Plugin.ts"

const fraction = (used: number, allocatable: number): number => Math.min(1, used / allocatable)

/** 100 when cpu and memory are used to the same degree, less the further apart they are. */
const balance = (node: NodeInfo, cpu: number, memory: number): number => {
  if (node.allocatableCpu === 0 || node.allocatableMemory === 0) return 100
  const difference =
    fraction(node.requestedCpu + cpu, node.allocatableCpu) -
    fraction(node.requestedMemory + memory, node.allocatableMemory)
  return Math.trunc((1 - Math.abs(difference) / 2) * 100)
}

/**
 * Prefers nodes that the pod would leave better balanced than it finds them: 75 is neutral.
 * Upstream: pkg/scheduler/framework/plugins/noderesources/balanced_allocation.go.
 */
export const balancedAllocation: ScorePlugin = {
  name: "NodeResourcesBalancedAllocation",
  weight: 1,
  score: ({ requests: { cpu, memory } }, nodes, _, scores) => {
    if (cpu === 0 && memory === 0) return false
    for (let index = 0; index < nodes.length; index++) {
      const node = nodes[index]
      if (node === undefined) continue
      const gain = balance(node, cpu, memory) - balance(node, 0, 0)
      scores[index] = 50 + Math.trunc((50 + gain) / 2)
    }
    return true
  }
}
