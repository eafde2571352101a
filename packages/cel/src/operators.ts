import { compareBytes, compareNumbers, isNumber, itemKey } from "./equality.ts"
import type { Meter } from "./Meter.ts"
import {
  CelError,
  CelList,
  Duration,
  durationOf,
  ItemList,
  JoinedList,
  Timestamp,
  timestampOf,
  Uint,
  type Value
} from "./values.ts"

/**
 * The implementation of a function; returns undefined for arguments that it does not accept. Its cost was counted
 * before.
 */
export type CelFunction = (args: ReadonlyArray<Value>, meter: Meter) => Value | undefined

const MAX_INT = 2n ** 63n - 1n
const MIN_INT = -(2n ** 63n)
const MAX_UINT = 2n ** 64n - 1n

/** Returns an integer, or the error of its overflow. */
export const int = (value: bigint): Value =>
  value > MAX_INT || value < MIN_INT ? new CelError("integer overflow") : value
const uint = (value: bigint): Value =>
  value > MAX_UINT || value < 0n ? new CelError("unsigned integer overflow") : new Uint(value)

/** An operator on integers, on doubles if it has a form for them, and its error for a division by zero. */
interface Arithmetic {
  readonly whole: (left: bigint, right: bigint) => bigint
  readonly double?: (left: number, right: number) => number
  /** The error of a zero right side. */
  readonly byZero?: string
}

export const arithmetic =
  ({ byZero, double, whole }: Arithmetic): CelFunction =>
  ([left, right]) => {
    if (typeof left === "bigint" && typeof right === "bigint") {
      if (byZero === undefined) return int(whole(left, right))
      if (right === 0n) return new CelError(byZero)
      // The quotient, and with it the remainder, overflows.
      return left === MIN_INT && right === -1n ? int(-left) : whole(left, right)
    }
    if (left instanceof Uint && right instanceof Uint) {
      return right.value === 0n && byZero !== undefined ? new CelError(byZero) : uint(whole(left.value, right.value))
    }
    return typeof left === "number" && typeof right === "number" ? double?.(left, right) : undefined
  }

const addNumbers = arithmetic({ whole: (left, right) => left + right, double: (left, right) => left + right })
const subtractNumbers = arithmetic({ whole: (left, right) => left - right, double: (left, right) => left - right })

export const add: CelFunction = (args, meter) => {
  const [left = null, right = null] = args
  if (typeof left === "string" && typeof right === "string") {
    meter.make(left.length + right.length)
    return left + right
  }
  if (left instanceof Uint8Array && right instanceof Uint8Array) {
    meter.make(left.length + right.length)
    const made = new Uint8Array(left.length + right.length)
    made.set(left)
    made.set(right, left.length)
    return made
  }
  if (left instanceof CelList && right instanceof CelList) return concatenated(left, right, meter)
  if (left instanceof Duration && right instanceof Duration) return durationOf(left.nanos + right.nanos)
  if (left instanceof Timestamp && right instanceof Duration) return timestampOf(left.nanos + right.nanos)
  if (left instanceof Duration && right instanceof Timestamp) return timestampOf(left.nanos + right.nanos)
  return addNumbers(args, meter)
}

/**
 * Concatenates sets and maps with one item for each key: the right item, at the left one's position. Upstream:
 * apiserver/pkg/cel/common/values.go.
 */
const concatenated = (left: CelList, right: CelList, meter: Meter): CelList => {
  const { keyed } = left
  if (keyed === undefined) return new JoinedList(left, right)
  const items = new Map<string, Value>()
  for (const list of [left, right]) for (const item of list) items.set(itemKey(item, left, meter), item)
  return new ItemList([...items.values()], keyed)
}

export const subtract: CelFunction = (args, meter) => {
  const [left = null, right = null] = args
  if (left instanceof Duration && right instanceof Duration) return durationOf(left.nanos - right.nanos)
  if (left instanceof Timestamp && right instanceof Timestamp) return durationOf(left.nanos - right.nanos)
  if (left instanceof Timestamp && right instanceof Duration) return timestampOf(left.nanos - right.nanos)
  return subtractNumbers(args, meter)
}

/** Whether values of its type have an order. */
export const isComparable = (value: Value): boolean =>
  ["bigint", "boolean", "number", "string"].includes(typeof value) ||
  value instanceof Uint ||
  value instanceof Uint8Array ||
  value instanceof Duration ||
  value instanceof Timestamp

/** Returns a number below, equal to or above zero; undefined if the values have no order. */
export const compare = (left: Value, right: Value, meter: Meter): number | undefined => {
  if (typeof left === "bigint" && typeof right === "bigint") return left < right ? -1 : left > right ? 1 : 0
  if (typeof left === "string" && typeof right === "string") {
    meter.read(Math.min(left.length, right.length))
    return compareTexts(left, right)
  }
  if (isNumber(left) && isNumber(right)) return compareNumbers(left, right)
  if (typeof left === "boolean" && typeof right === "boolean") return Number(left) - Number(right)
  if (left instanceof Uint8Array && right instanceof Uint8Array) return compareBytes(left, right, meter)
  for (const kind of [Timestamp, Duration]) {
    if (left instanceof kind && right instanceof kind) {
      return left.nanos < right.nanos ? -1 : left.nanos > right.nanos ? 1 : 0
    }
  }
  return undefined
}

/** Compares as Go does, by UTF-8 bytes: surrogates come after all other characters. */
export const compareTexts = (left: string, right: string): number => {
  if (left === right) return 0
  const length = Math.min(left.length, right.length)
  for (let at = 0; at < length; at++) {
    const one = left.charCodeAt(at)
    const other = right.charCodeAt(at)
    if (one !== other) return utf8Rank(one) - utf8Rank(other)
  }
  return left.length - right.length
}

const utf8Rank = (unit: number): number => (unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit)

/** Makes an operator such as `<` from what it requires of the order. */
export const comparison =
  (holds: (order: number) => boolean): CelFunction =>
  ([left = null, right = null], meter) => {
    const order = compare(left, right, meter)
    if (Number.isNaN(order)) return new CelError("NaN values cannot be ordered")
    return order === undefined ? undefined : holds(order)
  }
