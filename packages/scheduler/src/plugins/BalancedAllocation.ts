import type { NodeInfo } from "../cache/CacheRecords.ts"
import type { ScorePlugin } from "../Plugin.ts"
import { type MeasureUsage, usageOf } from "./ResourceUsage.ts"

/** The utilization of a resource, from 0 to 1. */
const utilization = (used: number, allocatable: number): number => Math.min(1, used / allocatable)

/** 100 if cpu and memory have equal utilization, down to 50 the more they differ, with these requests added. */
const balanceScore = (node: NodeInfo, cpu: number, memory: number): number => {
  if (node.allocatableCpu === 0 || node.allocatableMemory === 0) return 100
  const difference =
    utilization(node.requestedCpu + cpu, node.allocatableCpu) -
    utilization(node.requestedMemory + memory, node.allocatableMemory)
  return Math.trunc((1 - Math.abs(difference) / 2) * 100)
}

/**
 * Prefers nodes on which the pod would make the utilization of cpu and memory more equal. The score is 75 if the pod
 * does not change the balance, and from 50 to 100 otherwise. Upstream:
 * pkg/scheduler/framework/plugins/noderesources/balanced_allocation.go.
 */
export const balancedAllocation: ScorePlugin = {
  name: "NodeResourcesBalancedAllocation",
  weight: 1,
  score: ({ requests: { cpu, memory } }, nodes, _, scores) => {
    if (cpu === 0 && memory === 0) return false
    for (let index = 0; index < nodes.length; index++) {
      const node = nodes[index]
      if (node === undefined) continue
      const gain = balanceScore(node, cpu, memory) - balanceScore(node, 0, 0)
      scores[index] = 50 + Math.trunc((50 + gain) / 2)
    }
    return true
  }
}

/** 100 if all resources have equal utilization, less the more they differ: the standard deviation counts. */
const balanceOf = (fractions: ReadonlyArray<number>): number => {
  const [first = 0, second = 0] = fractions
  if (fractions.length < 2) return 100
  if (fractions.length === 2) return Math.trunc((1 - Math.abs((first - second) / 2)) * 100)
  const mean = fractions.reduce((sum, each) => sum + each, 0) / fractions.length
  const variance = fractions.reduce((sum, each) => sum + (each - mean) ** 2, 0) / fractions.length
  return Math.trunc((1 - Math.sqrt(variance)) * 100)
}

/** By how much the pod improves the balance of the node. */
const balanceGain = (node: NodeInfo, measures: ReadonlyArray<MeasureUsage>): number => {
  const before: Array<number> = []
  const after: Array<number> = []
  for (const measure of measures) {
    const usage = measure(node)
    if (usage === undefined) continue
    before.push(utilization(usage.used, usage.allocatable))
    after.push(utilization(usage.used + usage.requested, usage.allocatable))
  }
  return balanceOf(after) - balanceOf(before)
}

/**
 * NodeResourcesBalancedAllocation for the resources of its args. Unlike `balancedAllocation`, which is the fast form
 * for cpu and memory, it handles any number of resources.
 */
export const balancedAllocationOver = (resources: ReadonlyArray<string>): ScorePlugin => ({
  ...balancedAllocation,
  score: (pod, nodes, cache, scores) => {
    const { cpu, ephemeral, memory, scalars } = pod.requests
    const isRequested = (name: string) =>
      (name === "cpu" && cpu > 0) ||
      (name === "memory" && memory > 0) ||
      (name === "ephemeral-storage" && ephemeral > 0) ||
      scalars.some((scalar) => scalar.name === name && scalar.amount > 0)
    if (!resources.some(isRequested)) return false
    const measures = resources.flatMap((name) => usageOf(name, pod.requests, cache, false) ?? [])
    nodes.forEach((node, index) => {
      scores[index] = 50 + Math.trunc((50 + balanceGain(node, measures)) / 2)
    })
    return true
  }
})
