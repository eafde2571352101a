import { REGEX_FACTOR, STRING_FACTOR } from "./estimateSizes.ts"
import type { Cost } from "./library/Library.ts"
import { libraryCosts } from "./library/libraries.ts"
import type { Meter } from "./Meter.ts"
import { CelList, CelMap, Extension, sizeOf, type Value } from "./values.ts"

const traversal = (size: number, factor = 1): number => Math.ceil(size * factor * STRING_FACTOR)

/** Returns the size of an argument; counting the characters of a text is work as well. */
const size = (args: ReadonlyArray<Value>, index: number, meter: Meter): number => {
  const value = args[index] ?? null
  if (typeof value === "string") meter.read(value.length)
  return sizeOf(value)
}

const text: Cost = (args, meter) => traversal(size(args, 0, meter))
const twice: Cost = (args, meter) => traversal(size(args, 0, meter), 2)

/**
 * Returns the lengths of a list's texts, and one for each other item. Upstream: apiserver/pkg/cel/library/cost.go,
 * traversalCost.
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

const compared: Cost = (args, meter) =>
  isSmall(args[0]) ? 1 : traversal(Math.min(size(args, 0, meter), size(args, 1, meter)))

const ordered: Cost = (args, meter) =>
  typeof args[0] === "string" || args[0] instanceof Uint8Array ? compared(args, meter) : 1

const joined: Cost = (args, meter) => {
  const [list, separator] = args
  if (!(list instanceof CelList)) return 1
  let length = Math.max(0, list.size - 1) * (typeof separator === "string" ? size([separator], 0, meter) : 0)
  for (const item of list) {
    meter.spend(1)
    length += size([item], 0, meter)
  }
  return traversal(length, 2)
}

const sets =
  (factor: number): Cost =>
  (args, meter) =>
    size(args, 0, meter) * size(args, 1, meter) * factor + 1

const each: Cost = ([list = null], meter) => traverse(list, meter)

const costs: Readonly<Record<string, Cost>> = {
  "@in": (args, meter) => (args[1] instanceof CelList ? size(args, 1, meter) : 1),
  "_!=_": compared,
  "_+_": (args, meter) =>
    typeof args[0] === "string" || args[0] instanceof Uint8Array
      ? traversal(size(args, 0, meter) + size(args, 1, meter))
      : 1,
  "_<=_": ordered,
  "_<_": ordered,
  "_==_": compared,
  "_>=_": ordered,
  "_>_": ordered,
  bytes: (args, meter) => (typeof args[0] === "string" ? text(args, meter) : 1),
  contains: (args, meter) => traversal(size(args, 0, meter)) * traversal(size(args, 1, meter)),
  endsWith: text,
  find: regex,
  findAll: regex,
  indexOf: each,
  isSorted: each,
  join: joined,
  lastIndexOf: each,
  lowerAscii: text,
  matches: regex,
  max: each,
  min: each,
  replace: twice,
  "sets.contains": sets(1),
  "sets.equivalent": sets(2),
  "sets.intersects": sets(1),
  split: twice,
  startsWith: text,
  string: (args, meter) => (args[0] instanceof Uint8Array ? text(args, meter) : 1),
  substring: text,
  sum: each,
  trim: text,
  upperAscii: text,
  ...libraryCosts
}

const once: Cost = () => 1

/**
 * Returns the cost of a call before it is made. Upstream: cel-go/interpreter/runtimecost.go, costCall; library/cost.go.
 */
export const costNamed = (name: string): Cost => (Object.hasOwn(costs, name) ? (costs[name] ?? once) : once)
