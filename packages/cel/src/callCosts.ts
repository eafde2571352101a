import { REGEX_FACTOR, STRING_FACTOR } from "./estimateSizes.ts"
import type { Cost } from "./library/Library.ts"
import { libraryCosts } from "./library/libraries.ts"
import { listCosts } from "./listCosts.ts"
import type { Meter } from "./Meter.ts"
import { Buffer } from "./runtime.ts"
import { CelList, CelMap, Extension, sizeOf, type Value } from "./values.ts"

const traversal = (size: number, factor = 1): number => Math.ceil(size * factor * STRING_FACTOR)

/** Returns the size of an argument; counting the characters of a text is work as well. */
const size = (args: ReadonlyArray<Value>, index: number, meter: Meter): number => {
  const value = args[index] ?? null
  if (typeof value === "string") meter.read(value.length)
  return sizeOf(value)
}

const traverseText: Cost = (args, meter) => traversal(size(args, 0, meter))
const traverseTwice: Cost = (args, meter) => traversal(size(args, 0, meter), 2)

/**
 * Returns the cost of visiting a value with its parts: of texts by their length, one for any other. Upstream:
 * apiserver/pkg/cel/library/cost.go, traversalCost.
 */
const traverse = (value: Value, meter: Meter): number => {
  meter.spend(1)
  if (typeof value === "string") return Math.floor(Buffer.byteLength(value) * STRING_FACTOR)
  if (value instanceof Uint8Array) return Math.floor(value.length * STRING_FACTOR)
  let cost = 0
  if (value instanceof CelList) {
    for (const item of value) cost += traverse(item, meter)
    return cost
  }
  if (value instanceof CelMap) {
    for (const key of value.keys()) cost += traverse(key, meter) + traverse(value.get(key) ?? null, meter)
    return cost
  }
  return 1
}

const regex: Cost = (args, meter) =>
  traversal(1 + size(args, 0, meter)) * Math.ceil(size(args, 1, meter) * REGEX_FACTOR)

/** Whether the size of a value is 1. */
const isSmall = (value: Value | undefined): boolean =>
  typeof value === "bigint" || typeof value === "number" || typeof value === "boolean" || value instanceof Extension

const comparisonCost: Cost = (args, meter) =>
  isSmall(args[0]) ? 1 : traversal(Math.min(size(args, 0, meter), size(args, 1, meter)))

const orderCost: Cost = (args, meter) =>
  typeof args[0] === "string" || args[0] instanceof Uint8Array ? comparisonCost(args, meter) : 1

const joinCost: Cost = (args, meter) => {
  const [list, separator] = args
  if (!(list instanceof CelList)) return 1
  let length = Math.max(0, list.size - 1) * (typeof separator === "string" ? size([separator], 0, meter) : 0)
  for (const item of list) {
    meter.spend(1)
    if (typeof item !== "string") return 1
    length += size([item], 0, meter)
  }
  return traversal(length, 2)
}

const setsCost =
  (factor: number): Cost =>
  (args, meter) =>
    size(args, 0, meter) * size(args, 1, meter) * factor + 1

const each: Cost = ([list = null], meter) => traverse(list, meter)

/** The costs of functions that do not cost 1. */
const costs: Readonly<Record<string, Cost>> = {
  "@in": (args, meter) => (args[1] instanceof CelList ? size(args, 1, meter) : 1),
  "_!=_": comparisonCost,
  "_+_": (args, meter) =>
    typeof args[0] === "string" || args[0] instanceof Uint8Array
      ? traversal(size(args, 0, meter) + size(args, 1, meter))
      : 1,
  "_<=_": orderCost,
  "_<_": orderCost,
  "_==_": comparisonCost,
  "_>=_": orderCost,
  "_>_": orderCost,
  bytes: (args, meter) => (typeof args[0] === "string" ? traverseText(args, meter) : 1),
  contains: (args, meter) => traversal(size(args, 0, meter)) * traversal(size(args, 1, meter)),
  endsWith: traverseText,
  format: traverseText,
  "jsonpatch.escapeKey": traverseText,
  find: regex,
  findAll: regex,
  indexOf: each,
  isSorted: each,
  join: joinCost,
  lastIndexOf: each,
  lowerAscii: traverseText,
  matches: regex,
  max: each,
  min: each,
  replace: traverseTwice,
  "sets.contains": setsCost(1),
  "sets.equivalent": setsCost(2),
  "sets.intersects": setsCost(1),
  split: traverseTwice,
  startsWith: traverseText,
  "strings.quote": traverseText,
  string: (args, meter) => (args[0] instanceof Uint8Array ? traverseText(args, meter) : 1),
  substring: traverseText,
  sum: each,
  trim: traverseText,
  upperAscii: traverseText,
  ...libraryCosts
}

const unitCost: Cost = () => 1

/** Functions whose costs are those of their overloads: with several possible ones, a call costs 1. */
const costlyOverloads: ReadonlySet<string> = new Set(
  "@in _!=_ _+_ _<=_ _<_ _==_ _>=_ _>_ bytes contains endsWith format matches startsWith string strings.quote".split(
    " "
  )
)

/**
 * Returns the cost of a call before it is made; `overload` is the only possible one, if there is one. Upstream:
 * cel-go/interpreter/runtimecost.go, costCall; library/cost.go.
 */
export const costNamed = (name: string, overload: string | undefined): Cost => {
  const own = overload === undefined ? undefined : listCosts[overload]
  if (own !== undefined) return own
  if (overload === undefined && costlyOverloads.has(name)) return unitCost
  return Object.hasOwn(costs, name) ? (costs[name] ?? unitCost) : unitCost
}
