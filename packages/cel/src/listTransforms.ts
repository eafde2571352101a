import { equal, valueKey } from "./equality.ts"
import type { Meter } from "./Meter.ts"
import { SORT_BY_KEYS } from "./macros.ts"
import { type CelFunction, compare, isComparable } from "./operators.ts"
import { CelError, CelList, ItemList, Optional, typeName, type Value } from "./values.ts"

const itemsBetween = (list: CelList, from: number, to: number, meter: Meter): Array<Value> => {
  if (list instanceof ItemList) {
    meter.spend((to - from) / 8)
    return list.items.slice(from, to)
  }
  // Finding an item of a list that was put together takes as many steps as it has parts.
  meter.spend(to / 4)
  const items: Array<Value> = []
  list.each((item, at) => {
    if (at >= from && at < to) items.push(item)
    return at < to
  })
  return items
}

const slice: CelFunction = ([list, from, to], meter) => {
  if (!(list instanceof CelList) || typeof from !== "bigint" || typeof to !== "bigint") return undefined
  const wrong = (why: string) => new CelError(`cannot slice(${from}, ${to}), ${why}`)
  if (from < 0n || to < 0n) return wrong("negative indexes not supported")
  if (from > to) return wrong("start index must be less than or equal to end index")
  if (BigInt(list.size) < to) return wrong(`list is length ${list.size}`)
  return new ItemList(itemsBetween(list, Number(from), Number(to), meter))
}

/** Adds the items of a list; those of lists in it instead of these, down to a depth. */
const addFlat = (items: Array<Value>, list: CelList, depth: number, meter: Meter): void => {
  for (const item of list) {
    meter.spend(1)
    if (item instanceof CelList && depth > 0) addFlat(items, item, depth - 1, meter)
    else items.push(item)
  }
}

const flatten: CelFunction = ([list, depth = 1n], meter) => {
  if (!(list instanceof CelList) || typeof depth !== "bigint") return undefined
  if (depth < 0n) return new CelError("level must be non-negative")
  const items: Array<Value> = []
  addFlat(items, list, Number(depth), meter)
  return new ItemList(items)
}

/** Returns the numbers below one; its cost, which is charged before, bounds their number. */
const range: CelFunction = ([end], meter) => {
  if (typeof end !== "bigint") return undefined
  const items: Array<Value> = []
  for (let at = 0n; at < end; at++) {
    meter.spend(1 / 8)
    items.push(at)
  }
  return new ItemList(items)
}

const reverse: CelFunction = ([list], meter) => {
  if (!(list instanceof CelList)) return undefined
  meter.spend(list.size / 8)
  return new ItemList(Array.from(list).reverse())
}

/** Returns the items of a list that are unlike all before. */
const distinct: CelFunction = ([list], meter) => {
  if (!(list instanceof CelList)) return undefined
  const known = new Map<string, Value>()
  const items: Array<Value> = []
  for (const item of list) {
    const key = valueKey(item, meter)
    const same = known.get(key)
    // A value with a NaN in it is unlike itself.
    if (same !== undefined && equal(same, item, meter)) continue
    known.set(key, item)
    items.push(item)
  }
  return new ItemList(items)
}

/** Up to this many items, upstream inserts them one by one. */
const FEW_ITEMS = 12

/** Sorts by the keys of the items. NaN, which has no order, stays where upstream leaves it only among few items. */
const sortedBy = (items: ReadonlyArray<Value>, keys: ReadonlyArray<Value>, meter: Meter): Value => {
  if (items.length !== keys.length) {
    const counts = `${items.length} and ${keys.length} elements respectively`
    return new CelError(
      `${SORT_BY_KEYS}() expected a list of the same size as the associated keys list, but got ${counts}`
    )
  }
  const [first] = keys
  if (first === undefined) return new ItemList([])
  if (!isComparable(first)) return new CelError("list elements must be comparable")
  const type = typeName(first)
  if (keys.length > 1 && keys.some((key) => typeName(key) !== type)) {
    return new CelError("list elements must have the same type")
  }
  const order = (left: number, right: number): number => {
    meter.spend(1)
    return compare(keys[left] ?? null, keys[right] ?? null, meter) || 0
  }
  const places = Array.from(items.keys())
  if (places.length > FEW_ITEMS) places.sort(order)
  else insertInOrder(places, order)
  return new ItemList(places.map((place) => items[place] ?? null))
}

const insertInOrder = (places: Array<number>, order: (left: number, right: number) => number): void => {
  for (let next = 1; next < places.length; next++) {
    for (let at = next; at > 0; at--) {
      const [before = 0, place = 0] = [places[at - 1], places[at]]
      if (order(place, before) >= 0) break
      places[at - 1] = place
      places[at] = before
    }
  }
}

const sort: CelFunction = ([list], meter) => {
  if (!(list instanceof CelList)) return undefined
  meter.spend(list.size)
  const items = Array.from(list)
  return sortedBy(items, items, meter)
}

const sortByKeys: CelFunction = ([list, keys], meter) => {
  if (!(list instanceof CelList) || !(keys instanceof CelList)) return undefined
  meter.spend(list.size + keys.size)
  return sortedBy(Array.from(list), Array.from(keys), meter)
}

const unwrap: CelFunction = ([list], meter) => {
  if (!(list instanceof CelList)) return undefined
  const items: Array<Value> = []
  // Dynamic values count as such a list if their first one is optional.
  if (list.size > 0 && !(list.at(0) instanceof Optional)) return undefined
  for (const item of list) {
    meter.spend(1)
    if (!(item instanceof Optional)) return new CelError(`value ${String(item)} is not optional`)
    if (item.value !== undefined) items.push(item.value)
  }
  return new ItemList(items)
}

const itemAt =
  (place: (size: number) => number): CelFunction =>
  ([list]) => {
    if (!(list instanceof CelList)) return undefined
    return new Optional(list.size === 0 ? undefined : list.at(place(list.size)))
  }

/** The functions that make lists of lists. Upstream: cel-go/ext/lists.go; cel-go/cel/library.go (optional types). */
export const listTransforms: Readonly<Record<string, CelFunction>> = {
  distinct,
  first: itemAt(() => 0),
  flatten,
  last: itemAt((size) => size - 1),
  "lists.range": range,
  "optional.unwrap": unwrap,
  reverse,
  slice,
  sort,
  [SORT_BY_KEYS]: sortByKeys,
  unwrapOpt: unwrap
}
