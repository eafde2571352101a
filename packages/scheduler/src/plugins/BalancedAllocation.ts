import type { NodeInfo } from "../cache/CacheRecords.ts"
import type { ScorePlugin } from "../Plugin.ts"
import { type Measure, measureOf } from "./ResourceUsage.ts"

const fraction = (used: number, allocatable: number): number => Math.min(1, used / allocatable)

/** 100 when cpu and memory have equal utilization, less the more they differ. */
const balance = (node: NodeInfo, cpu: number, memory: number): number => {
  if (node.allocatableCpu === 0 || node.allocatableMemory === 0) return 100
  const difference =
    fraction(node.requestedCpu + cpu, node.allocatableCpu) -
    fraction(node.requestedMemory + memory, node.allocatableMemory)
  return Math.trunc((1 - Math.abs(difference) / 2) * 100)
}

/**
 * Prefers nodes whose balance the pod would improve: 75 is neutral.
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

/** 100 when all have equal utilization, less the more they differ. */
const evenness = (fractions: ReadonlyArray<number>): number => {
  const [first = 0, second = 0] = fractions
  if (fractions.length < 2) return 100
  if (fractions.length === 2) return Math.trunc((1 - Math.abs((first - second) / 2)) * 100)
  const mean = fractions.reduce((sum, each) => sum + each, 0) / fractions.length
  const variance = fractions.reduce((sum, each) => sum + (each - mean) ** 2, 0) / fractions.length
  return Math.trunc((1 - Math.sqrt(variance)) * 100)
}

const gainOn = (node: NodeInfo, measures: ReadonlyArray<Measure>): number => {
  const before: Array<number> = []
  const after: Array<number> = []
  for (const measure of measures) {
    const usage = measure(node)
    if (usage === undefined) continue
    before.push(fraction(usage.used, usage.allocatable))
    after.push(fraction(usage.used + usage.asked, usage.allocatable))
  }
  return evenness(after) - evenness(before)
}

/** As `balancedAllocation`, over other resources than cpu and memory: NodeResourcesBalancedAllocationArgs. */
export const balancedOver = (resources: ReadonlyArray<string>): ScorePlugin => ({
  ...balancedAllocation,
  score: (pod, nodes, cache, scores) => {
    const { cpu, ephemeral, memory, scalars } = pod.requests
    const isAsked = (name: string) =>
      (name === "cpu" && cpu > 0) ||
      (name === "memory" && memory > 0) ||
      (name === "ephemeral-storage" && ephemeral > 0) ||
      scalars.some((scalar) => scalar.name === name && scalar.amount > 0)
    if (!resources.some(isAsked)) return false
    const measures = resources.flatMap((name) => measureOf(name, pod.requests, cache, false) ?? [])
    nodes.forEach((node, index) => {
      scores[index] = 50 + Math.trunc((50 + gainOn(node, measures)) / 2)
    })
    return true
  }
})
