import {
  fixed,
  MAX_ESTIMATE,
  ONE,
  plus,
  type Range,
  REGEX_FACTOR,
  STRING_FACTOR,
  times,
  timesFactor
} from "./estimateSizes.ts"
import type { CallEstimate, Estimator, Operand } from "./library/Library.ts"
import { libraryEquality, libraryEstimates } from "./library/libraries.ts"
import { listEstimates } from "./listCosts.ts"

export type { CallEstimate, Operand } from "./library/Library.ts"

const traversal = (size: Range, factor = 1): Range => timesFactor(size, factor * STRING_FACTOR)

/** Estimates one traversal of the target, whose result is not longer than it. */
const traverseTarget: Estimator = (target) => {
  if (target === undefined) return undefined
  const size = target.sizeByPath()
  return { cost: traversal(size), size }
}

/** Estimates a visit of each item. */
const visitItems: Estimator = (target) => {
  if (target === undefined) return undefined
  const size = target.sizeByPath()
  const item = target.type.params[0]
  if (item === undefined) return { cost: traversal(size) }
  const isText = item.kind === "string" || item.kind === "bytes"
  return { cost: times(size, isText ? plus(ONE, traversal(target.itemSizeByPath())) : ONE) }
}

const regex = (text: Range, pattern: Range): Range =>
  times(traversal(plus(text, ONE)), timesFactor(pattern, REGEX_FACTOR))

const find: Estimator = (target, [pattern]) => {
  if (target === undefined || pattern === undefined) return undefined
  const size = target.sizeByPath()
  return { cost: regex(size, pattern.sizeByPath()), size: { min: 0, max: size.max } }
}

/**
 * Returns the number of replacements in a text that makes its result largest or smallest, and how much of the original
 * then remains. `from` and `to` are the lengths of the replaced text and of its replacement.
 */
const replacements = (
  size: number,
  longest: { readonly from: number; readonly to: number },
  shrinks: boolean
): { readonly count: number; readonly kept: number } => {
  if (longest.from === 0) return { count: size < MAX_ESTIMATE ? size + 1 : size, kept: size }
  return shrinks ? { count: 0, kept: size } : { count: Math.ceil(size / longest.from), kept: 0 }
}

const replace: Estimator = (target, [from, to]) => {
  if (target === undefined || from === undefined || to === undefined) return undefined
  const size = target.sizeByPath()
  const removed = from.sizeByPath()
  const inserted = to.sizeByPath()
  const most = replacements(size.max, { from: removed.min, to: inserted.max }, inserted.max <= removed.min)
  const least = replacements(size.min, { from: removed.max, to: inserted.min }, removed.max <= inserted.min)
  const count = { min: least.count, max: most.count }
  return { cost: traversal(size, 2), size: plus(times(count, inserted), { min: least.kept, max: most.kept }) }
}

const split: Estimator = (target, [, limit]) => {
  if (target === undefined) return undefined
  const size = target.sizeByPath()
  const most = typeof limit?.literal === "bigint" ? Number(BigInt.asUintN(64, limit.literal)) : size.max
  return { cost: traversal(size, 2), size: { min: 0, max: most } }
}

const join: Estimator = (target, [separator]) => {
  if (target === undefined) return undefined
  const count = target.sizeByPath()
  let size = target.type.params.length > 0 ? times(count, target.itemSizeByPath()) : fixed(0)
  if (separator !== undefined) {
    const between = { min: Math.max(0, count.min - 1), max: Math.max(0, count.max - 1) }
    size = plus(size, times(separator.sizeByPath(), between))
  }
  return { cost: traversal(size), size }
}

/** The estimates by function. Upstream: apiserver/pkg/cel/library/cost.go, EstimateCallCost. */
const functions: Readonly<Record<string, Estimator>> = {
  find,
  findAll: find,
  indexOf: visitItems,
  isSorted: visitItems,
  join,
  "jsonpatch.escapeKey": (_, [text]) => text && { cost: traversal(text.sizeByPath()), size: text.sizeByPath() },
  lastIndexOf: visitItems,
  lowerAscii: traverseTarget,
  max: visitItems,
  min: visitItems,
  replace,
  split,
  substring: traverseTarget,
  sum: visitItems,
  trim: traverseTarget,
  upperAscii: traverseTarget,
  ...libraryEstimates
}

/** Estimates a comparison of each item of one list with each of the other. Upstream: cel-go/ext/sets.go. */
const sets =
  (factor: number): Estimator =>
  (_, [left, right]) =>
    left && right && { cost: plus(timesFactor(times(left.size(), right.size()), factor), ONE) }

const concatenation: Estimator = (_, [left, right]) => {
  if (left === undefined || right === undefined) return undefined
  const size = plus(left.size(), right.size())
  return { cost: traversal(size), size }
}

const comparison: Estimator = (_, [left, right]) => {
  if (left === undefined || right === undefined) return undefined
  const max = Math.min(left.size().max, right.size().max)
  return { cost: traversal({ min: max > 0 ? 1 : 0, max }) }
}

/** The estimates by overload, for functions without one of their own. */
const byOverload: Readonly<Record<string, Estimator>> = {
  add_bytes: concatenation,
  add_list: (_, [left, right]) => left && right && { cost: ONE, size: plus(left.size(), right.size()) },
  add_string: concatenation,
  bytes_to_string: (_, [bytes]) => {
    if (bytes === undefined) return undefined
    const { max, min } = bytes.size()
    return { cost: traversal({ min, max }), size: { min: Math.floor(min / 4), max } }
  },
  contains_string: (target, [part]) =>
    target && part && { cost: times(traversal(target.size()), traversal(part.size())) },
  ends_with_string: (_, [part]) => part && { cost: traversal(part.size()) },
  in_list: (_, [, list]) => list && { cost: timesFactor(list.size(), 1) },
  list_sets_contains_list: sets(1),
  list_sets_equivalent_list: sets(2),
  list_sets_intersects_list: sets(1),
  matches_string: (target, [pattern]) => target && pattern && { cost: regex(target.size(), pattern.size()) },
  string_format: (text) => text && { cost: traversal(text.size()) },
  strings_quote: (_, [text]) => {
    if (text === undefined) return undefined
    const { max, min } = text.size()
    // Upstream's sum overflows for a text of any length.
    return { cost: traversal({ min, max }), size: { min: min + 2, max: max === MAX_ESTIMATE ? 0 : max * 2 + 2 } }
  },
  starts_with_string: (_, [part]) => part && { cost: traversal(part.size()) },
  string_to_bytes: (_, [text]) => {
    if (text === undefined) return undefined
    const { max, min } = text.size()
    return { cost: traversal({ min, max }), size: { min, max: Math.min(max * 4, MAX_ESTIMATE) } }
  }
}

const comparisons = new Set(
  ["less", "greater", "less_equals", "greater_equals"]
    .flatMap((name) => [`${name}_string`, `${name}_bytes`])
    .concat("equals", "not_equals")
)

/** Estimates a comparison of two values of a library's type. */
const equality = ([left, right]: ReadonlyArray<Operand>): Estimator | undefined => {
  const name = left?.type.name ?? ""
  return right?.type.name === name && Object.hasOwn(libraryEquality, name) ? libraryEquality[name] : undefined
}

/**
 * Estimates the cost of a call without its arguments, and the size of its result. Upstream: cel-go/checker/cost.go,
 * functionCost.
 */
export const estimateCall = (
  name: string,
  overload: string,
  target: Operand | undefined,
  args: ReadonlyArray<Operand>
): CallEstimate => {
  const made = listEstimates[overload]?.(target, args)
  if (made !== undefined) return made
  const estimator = Object.hasOwn(functions, name) ? functions[name] : undefined
  const found = estimator?.(target, args)
  if (found !== undefined) return found
  if (overload === "equals") {
    const same = equality(args)?.(target, args)
    if (same !== undefined) return same
  }
  if (comparisons.has(overload)) return comparison(target, args) ?? { cost: fixed(1) }
  const own = Object.hasOwn(byOverload, overload) ? byOverload[overload] : undefined
  return own?.(target, args) ?? { cost: ONE }
}
