import type { ScorePlugin } from "../Plugin.ts"

/** The free part of a resource, from 0 to 100. */
const freePercentage = (used: number, allocatable: number): number =>
  Math.max(0, Math.floor(((allocatable - used) * 100) / allocatable))

/**
 * Prefers nodes with more free cpu and memory; both count equally. This is the fast form of NodeResourcesFit's default
 * scoring strategy. Upstream: noderesources/least_allocated.go.
 */
export const leastAllocated: ScorePlugin = {
  name: "NodeResourcesFit",
  weight: 1,
  score: ({ requests }, nodes, _, scores) => {
    for (let index = 0; index < nodes.length; index++) {
      const node = nodes[index]
      if (node === undefined) continue
      let sum = 0
      let resources = 0
      if (node.allocatableCpu > 0) {
        sum += freePercentage(node.nonZeroCpu + requests.nonZeroCpu, node.allocatableCpu)
        resources++
      }
      if (node.allocatableMemory > 0) {
        sum += freePercentage(node.nonZeroMemory + requests.nonZeroMemory, node.allocatableMemory)
        resources++
      }
      scores[index] = resources === 0 ? 0 : Math.floor(sum / resources)
    }
    return true
  }
}
