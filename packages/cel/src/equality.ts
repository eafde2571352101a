import type { Meter } from "./Meter.ts"
import {
  CelList,
  CelMap,
  Duration,
  Extension,
  keyOf,
  Optional,
  Timestamp,
  TypeValue,
  Uint,
  type Value
} from "./values.ts"

/** Whether two values are equal. Numbers of different types may be; other values of different types are not. */
export const equal = (left: Value, right: Value, meter: Meter): boolean => {
  if (left === right) return true
  if (typeof left === "string" || typeof right === "string") {
    if (typeof left === "string") meter.read(left.length)
    return false
  }
  if (isNumber(left) && isNumber(right)) return compareNumbers(left, right) === 0
  if (left instanceof CelList) return right instanceof CelList && equalLists(left, right, meter)
  if (left instanceof CelMap) return right instanceof CelMap && equalMaps(left, right, meter)
  if (left instanceof Uint8Array) return right instanceof Uint8Array && compareBytes(left, right, meter) === 0
  if (left instanceof Optional) {
    if (!(right instanceof Optional)) return false
    if (left.value === undefined || right.value === undefined) return left.value === right.value
    return equal(left.value, right.value, meter)
  }
  if (left instanceof TypeValue) return right instanceof TypeValue && left.name === right.name
  if (left instanceof Extension) return right instanceof Extension && sameExtension(left, right, meter)
  for (const kind of [Duration, Timestamp]) {
    if (left instanceof kind) return right instanceof kind && left.nanos === right.nanos
  }
  return false
}

const sameExtension = (left: Extension, right: Extension, meter: Meter): boolean =>
  left.typeName === right.typeName && right.isComparable && extensionKey(left, meter) === extensionKey(right, meter)

const extensionKey = (value: Extension, meter: Meter): string => {
  const { key } = value
  meter.make(key.length)
  return key
}

type Numeric = bigint | number | Uint

export const isNumber = (value: Value): value is Numeric =>
  typeof value === "bigint" || typeof value === "number" || value instanceof Uint

const unwrapped = (value: Numeric): bigint | number => (value instanceof Uint ? value.value : value)

const order = (left: bigint | number, right: bigint | number): number => (left < right ? -1 : left > right ? 1 : 0)

/** Compares an integer with a double; one in the double's range is rounded to a double, as in cel-go. */
const compareWithDouble = (whole: bigint, double: number, least: number, most: number): number => {
  if (double < least) return 1
  return double > most ? -1 : order(Number(whole), double)
}

/** Returns a number below, equal to or above zero; NaN if a value is not a number. */
export const compareNumbers = (left: Numeric, right: Numeric): number => {
  if (Number.isNaN(left) || Number.isNaN(right)) return Number.NaN
  if (typeof left === "number" && typeof right !== "number") return -compareNumbers(right, left)
  if (typeof right !== "number" || typeof left === "number") return order(unwrapped(left), unwrapped(right))
  return left instanceof Uint
    ? compareWithDouble(left.value, right, 0, 2 ** 64)
    : compareWithDouble(left, right, -(2 ** 63), 2 ** 63)
}

export const compareBytes = (left: Uint8Array, right: Uint8Array, meter: Meter): number => {
  const length = Math.min(left.length, right.length)
  meter.read(length)
  for (let at = 0; at < length; at++) {
    const difference = (left[at] ?? 0) - (right[at] ?? 0)
    if (difference !== 0) return difference
  }
  return left.length - right.length
}

const equalMaps = (left: CelMap, right: CelMap, meter: Meter): boolean => {
  if (left.size !== right.size) return false
  for (const key of left.keys()) {
    meter.spend(1)
    const value = left.get(key)
    const other = right.get(key)
    if (value === undefined || other === undefined || !equal(value, other, meter)) return false
  }
  return true
}

const equalLists = (left: CelList, right: CelList, meter: Meter): boolean => {
  if (left.size !== right.size) return false
  if (left.keyed !== undefined) return equalUnordered(left, right, meter)
  if (right.keyed !== undefined) return equalUnordered(right, left, meter)
  for (let at = 0; at < left.size; at++) {
    meter.spend(1)
    if (!equal(left.at(at), right.at(at), meter)) return false
  }
  return true
}

/** Whether two lists of type set or map have the same items, in any order. */
const equalUnordered = (keyed: CelList, other: CelList, meter: Meter): boolean => {
  const known = new Map<string, Value>()
  for (const item of keyed) known.set(itemKey(item, keyed, meter), item)
  const seen = new Set<string>()
  for (const item of other) {
    const key = itemKey(item, keyed, meter)
    const found = known.get(key)
    if (found === undefined || seen.has(key) || !equal(found, item, meter)) return false
    seen.add(key)
  }
  return true
}

/** Returns the key of an item in a list of type set or map. */
export const itemKey = (item: Value, { keyed }: CelList, meter: Meter): string => {
  if (keyed === undefined || keyed.kind === "set") return valueKey(item, meter)
  if (!(item instanceof CelMap)) return valueKey(item, meter)
  return keyed.keys.map((name) => valueKey(item.get(name) ?? null, meter)).join()
}

/** Returns a text that equal values share, and only they. */
export const valueKey = (value: Value, meter: Meter): string => {
  meter.spend(4)
  if (typeof value === "string") {
    meter.read(value.length)
    return JSON.stringify(value)
  }
  if (isNumber(value)) {
    const number = unwrapped(value)
    return `${typeof number === "number" && Number.isInteger(number) ? BigInt(number) : number}`
  }
  if (value instanceof CelList) {
    const items: Array<string> = []
    for (const item of value) items.push(valueKey(item, meter))
    return `[${(value.keyed === undefined ? items : items.sort()).join()}]`
  }
  if (value instanceof CelMap) {
    const entries: Array<string> = []
    for (const key of value.keys()) entries.push(`${valueKey(key, meter)}:${valueKey(value.get(key) ?? null, meter)}`)
    return `{${entries.sort().join()}}`
  }
  if (value instanceof Uint8Array) {
    meter.make(value.length)
    return `b${value.join()}`
  }
  for (const kind of [Duration, Timestamp]) {
    if (value instanceof kind) return `${kind.name}${value.nanos}`
  }
  if (value instanceof TypeValue) return `type ${value.name}`
  if (value instanceof Extension) return `${value.typeName} ${JSON.stringify(extensionKey(value, meter))}`
  if (value instanceof Optional) return value.value === undefined ? "none" : `some ${valueKey(value.value, meter)}`
  return String(value)
}

/** Whether a list contains a value, or a map a key; undefined if the container is neither. */
export const contains = (container: Value, value: Value, meter: Meter): boolean | undefined => {
  if (container instanceof CelMap) {
    const key = keyOf(value)
    return key !== undefined && container.has(key)
  }
  if (!(container instanceof CelList)) return undefined
  for (const item of container) {
    meter.spend(1)
    if (equal(item, value, meter)) return true
  }
  return false
}
