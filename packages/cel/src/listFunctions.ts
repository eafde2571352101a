import { equal, valueKey } from "./equality.ts"
import type { Meter } from "./Meter.ts"
import { add, type CelFunction, compare, isComparable } from "./operators.ts"
import { indexOfText, lastIndexOfText } from "./textFunctions.ts"
import { CelError, CelList, Duration, typeName, Uint, type Value } from "./values.ts"

const isSorted: CelFunction = ([list], meter) => {
  if (!(list instanceof CelList)) return undefined
  let last: Value | undefined
  for (const item of list) {
    meter.spend(1)
    if (last === undefined && !isComparable(item)) return undefined
    const order = last === undefined ? -1 : compare(last, item, meter)
    if (order !== undefined && order > 0) return false
    last = item
  }
  return true
}

/** The sums of no items, by the overload and type. */
const zeros: Readonly<Record<string, Value>> = {
  list_int_sum_int: 0n,
  list_uint_sum_uint: new Uint(0n),
  list_double_sum_double: 0,
  list_duration_sum_duration: new Duration(0n)
}

const sumFrom =
  (zero: Value): CelFunction =>
  ([list], meter) => {
    if (!(list instanceof CelList)) return undefined
    if (list.size > 0 && typeName(list.at(0)) !== typeName(zero)) return undefined
    let total: Value = zero
    for (const item of list) {
      meter.spend(1)
      const next = add([total, item], meter)
      if (next === undefined) return new CelError("no such overload")
      if (next instanceof CelError) return next
      total = next
    }
    return total
  }

/** The sums by overload. */
const sums: Readonly<Record<string, CelFunction>> = Object.fromEntries(
  Object.entries(zeros).map(([overload, zero]) => [overload, sumFrom(zero)])
)

/** Adds the items of a list of unknown type: its first item determines which. */
const sum: CelFunction = (args, meter) => {
  for (const ofType of Object.values(sums)) {
    const made = ofType(args, meter)
    if (made !== undefined) return made
  }
  return undefined
}

/** Makes `min` (sign 1) or `max` (sign -1). An empty list has neither, as in Kubernetes: the rule fails. */
const extreme =
  (name: string, sign: number): CelFunction =>
  ([list], meter) => {
    if (!(list instanceof CelList)) return undefined
    let best: Value | undefined
    for (const item of list) {
      meter.spend(1)
      if (best === undefined && !isComparable(item)) return undefined
      const order = best === undefined ? -1 : (compare(item, best, meter) ?? 0)
      if (order * sign < 0 || best === undefined) best = item
    }
    return best ?? new CelError(`${name} called on empty list`)
  }

const indexOfItem = (list: CelList, wanted: Value, meter: Meter, backwards: boolean): Value => {
  for (let turn = 0; turn < list.size; turn++) {
    meter.spend(1)
    const at = backwards ? list.size - 1 - turn : turn
    if (equal(list.at(at), wanted, meter)) return BigInt(at)
  }
  return -1n
}

const keys = (list: CelList, meter: Meter): Set<string> => {
  const found = new Set<string>()
  for (const item of list) found.add(valueKey(item, meter))
  return found
}

const includes = (all: ReadonlySet<string>, some: ReadonlySet<string>): boolean => {
  for (const key of some) if (!all.has(key)) return false
  return true
}

const intersects = (left: ReadonlySet<string>, right: ReadonlySet<string>): boolean => {
  for (const key of left) if (right.has(key)) return true
  return false
}

const sets =
  (holds: (left: ReadonlySet<string>, right: ReadonlySet<string>) => boolean): CelFunction =>
  ([left, right], meter) =>
    left instanceof CelList && right instanceof CelList ? holds(keys(left, meter), keys(right, meter)) : undefined

/** The functions of lists. Upstream: apiserver/pkg/cel/library/lists.go; cel-go/ext/sets.go. */
export const listFunctions: Readonly<Record<string, CelFunction>> = {
  indexOf: (args, meter) =>
    args[0] instanceof CelList ? indexOfItem(args[0], args[1] ?? null, meter, false) : indexOfText(args, meter),
  isSorted,
  lastIndexOf: (args, meter) =>
    args[0] instanceof CelList ? indexOfItem(args[0], args[1] ?? null, meter, true) : lastIndexOfText(args, meter),
  max: extreme("max", -1),
  min: extreme("min", 1),
  "sets.contains": sets(includes),
  "sets.equivalent": sets((left, right) => includes(left, right) && includes(right, left)),
  "sets.intersects": sets(intersects),
  sum,
  ...sums
}
