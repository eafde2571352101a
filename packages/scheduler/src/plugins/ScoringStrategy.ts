import { MAX_NODE_SCORE, type ScorePlugin } from "../Plugin.ts"
import { type MeasureUsage, type Usage, usageOf, type WeightedResource } from "./ResourceUsage.ts"

/** A score, 0 to 10, for a utilization in percent. */
export interface UtilizationShapePoint {
  readonly utilization: number
  readonly score: number
}

/** How NodeResourcesFit scores: NodeResourcesFitArgs.scoringStrategy. */
export type ScoringStrategy =
  | { readonly type: "LeastAllocated" | "MostAllocated"; readonly resources: ReadonlyArray<WeightedResource> }
  | {
      readonly type: "RequestedToCapacityRatio"
      readonly resources: ReadonlyArray<WeightedResource>
      readonly shape: ReadonlyArray<UtilizationShapePoint>
    }

const MAX_UTILIZATION = 100
/** The scores of a shape's points go up to 10. */
const SHAPE_FACTOR = MAX_NODE_SCORE / 10

const least = ({ allocatable, requested, used }: Usage): number =>
  Math.max(0, Math.trunc(((allocatable - used - requested) * MAX_NODE_SCORE) / allocatable))

/** Pods without requests count with a small default, so requests may exceed the capacity. */
const most = ({ allocatable, requested, used }: Usage): number =>
  Math.trunc((Math.min(used + requested, allocatable) * MAX_NODE_SCORE) / allocatable)

/** Linear interpolation between the points, constant outside of them. */
const brokenLine = (shape: ReadonlyArray<UtilizationShapePoint>): ((utilization: number) => number) => {
  const points = shape.map(({ score, utilization }) => ({ utilization, score: score * SHAPE_FACTOR }))
  return (utilization) => {
    const at = points.findIndex((point) => utilization <= point.utilization)
    const before = points[at - 1]
    const point = points.at(at)
    if (point === undefined || before === undefined) return point?.score ?? 0
    const rise = (point.score - before.score) * (utilization - before.utilization)
    return before.score + Math.trunc(rise / (point.utilization - before.utilization))
  }
}

const ratio = (shape: ReadonlyArray<UtilizationShapePoint>): ((usage: Usage) => number) => {
  const line = brokenLine(shape)
  return ({ allocatable, requested, used }) =>
    line(Math.trunc((Math.min(used + requested, allocatable) * MAX_UTILIZATION) / allocatable))
}

interface Rule {
  readonly scoreOf: (usage: Usage) => number
  /** Resources with score 0 have no weight, and the sum is rounded, not truncated. */
  readonly isRatio: boolean
}

const ruleOf = (strategy: ScoringStrategy): Rule => {
  if (strategy.type === "RequestedToCapacityRatio") return { scoreOf: ratio(strategy.shape), isRatio: true }
  return { scoreOf: strategy.type === "MostAllocated" ? most : least, isRatio: false }
}

interface Measured {
  readonly measure: MeasureUsage
  readonly weight: number
}

/** Upstream: noderesources/{least_allocated,most_allocated,requested_to_capacity_ratio}.go. */
export const resourcesScore = (strategy: ScoringStrategy): ScorePlugin => {
  const { isRatio, scoreOf } = ruleOf(strategy)
  return {
    name: "NodeResourcesFit",
    weight: 1,
    score: ({ requests }, nodes, cache, scores) => {
      const measured = strategy.resources.flatMap(({ name, weight }): ReadonlyArray<Measured> => {
        const measure = usageOf(name, requests, cache, true)
        return measure === undefined ? [] : [{ measure, weight }]
      })
      nodes.forEach((node, index) => {
        let sum = 0
        let weights = 0
        for (const { measure, weight } of measured) {
          const usage = measure(node)
          if (usage === undefined) continue
          const score = scoreOf(usage)
          if (isRatio && score <= 0) continue
          sum += score * weight
          weights += weight
        }
        const mean = weights === 0 ? 0 : sum / weights
        scores[index] = isRatio ? Math.round(mean) : Math.trunc(mean)
      })
      return true
    }
  }
}
