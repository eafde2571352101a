import { fixed, LIST_COST, plus, type Range, STRING_FACTOR, times, timesFactor, UNKNOWN } from "./estimateSizes.ts"
import type { Cost, Estimator, Operand } from "./library/Library.ts"
import { CelList, sizeOf, type Value } from "./values.ts"

/* The costs of the functions that make lists: at run time, and as estimated. Upstream: cel-go/ext/lists.go. */

const CALL_COST = 1

/** The cost of a call that makes a list of this size, by the cost of an item. */
const made = (size: number, factor = 1): number => Math.trunc(size * factor) + CALL_COST + LIST_COST

const reverseCost: Cost = ([list = null]) => made(list instanceof CelList ? list.size : 1)

const sliceCost: Cost = ([list = null, from, to]) => {
  const isRight = list instanceof CelList && typeof from === "bigint" && typeof to === "bigint"
  const succeeds = isRight && from >= 0n && from <= to && to <= BigInt(list.size)
  return made(succeeds ? Number(to - from) : 1)
}

const rangeCost: Cost = ([end]) => made(typeof end === "bigint" ? Math.max(0, Number(end)) : 1)

const flattenCost: Cost = ([list = null, depth = 1n]) =>
  made(sizeOf(list), typeof depth === "bigint" ? Number(depth) : 1)

/** The cost of comparing each item of a list with each other. */
const comparisonsCost = (list: Value): number => {
  const size = sizeOf(list)
  const first = list instanceof CelList && size > 0 ? list.at(0) : null
  const isText = typeof first === "string" || first instanceof Uint8Array
  return made(size * size, isText ? 2 + STRING_FACTOR : 2)
}

const comparisons: Cost = ([list = null]) => comparisonsCost(list)
const comparisonsOfKeys: Cost = ([, keys = null]) => comparisonsCost(keys)

const estimate = (size: Range, factor: number) => ({
  cost: plus(timesFactor(size, factor), fixed(CALL_COST + LIST_COST)),
  size
})

/** Returns an integer literal's value, at least zero; otherwise a default. */
const literalOr = ({ literal }: Operand, otherwise: number): number =>
  typeof literal === "bigint" ? Math.max(0, Number(literal)) : otherwise

const estimateSlice: Estimator = (target, [from, to]) => {
  if (target === undefined || from === undefined || to === undefined) return undefined
  const size = literalOr(to, target.sizeByPath().max) - literalOr(from, 0)
  // Upstream's sizes have no sign.
  return estimate(fixed(size < 0 ? UNKNOWN.max : size), 1)
}

const estimateRange: Estimator = (_, [end]) => end && estimate(fixed(literalOr(end, UNKNOWN.max)), 1)

const estimateFlatten: Estimator = (target, [depth]) =>
  target && estimate(target.sizeByPath(), depth === undefined ? 1 : literalOr(depth, UNKNOWN.max))

const estimateReverse: Estimator = (target) => target && estimate(target.sizeByPath(), 1)

const estimateComparisons = (list: Operand | undefined, factor: number) => {
  if (list === undefined) return undefined
  const size = list.sizeByPath()
  return estimate(times(size, size), factor)
}

const sortFactor = (type: string): number => (type === "string" || type === "bytes" ? 2 + STRING_FACTOR : 2)

const comparableTypes = ["int", "uint", "double", "bool", "duration", "time", "string", "bytes"]

const byType = <A>(id: (type: string) => string, make: (type: string) => A): ReadonlyArray<readonly [string, A]> =>
  comparableTypes.map((type) => [id(type), make(type)])

const sortId = (type: string): string => `list_${type}_sort`
const sortByKeysId = (type: string): string => `list_${type}_sortByAssociatedKeys`

/** The costs at run time by overload: with several possible overloads, a call costs 1. */
export const listCosts: Readonly<Record<string, Cost>> = {
  list_distinct: comparisons,
  list_flatten: flattenCost,
  list_flatten_int: flattenCost,
  list_reverse: reverseCost,
  list_slice: sliceCost,
  lists_range: rangeCost,
  ...Object.fromEntries(byType(sortId, () => comparisons)),
  ...Object.fromEntries(byType(sortByKeysId, () => comparisonsOfKeys))
}

/** The estimated costs by overload. */
export const listEstimates: Readonly<Record<string, Estimator>> = {
  list_distinct: (target) => estimateComparisons(target, 2),
  list_flatten: estimateFlatten,
  list_flatten_int: estimateFlatten,
  list_reverse: estimateReverse,
  list_slice: estimateSlice,
  lists_range: estimateRange,
  ...Object.fromEntries(
    byType(
      sortId,
      (type): Estimator =>
        (target) =>
          estimateComparisons(target, sortFactor(type))
    )
  ),
  ...Object.fromEntries(
    byType(
      sortByKeysId,
      (type): Estimator =>
        (_, [keys]) =>
          estimateComparisons(keys, sortFactor(type))
    )
  )
}
