import { conversions, doubleText } from "./conversions.ts"
import { contains, equal } from "./equality.ts"
import { format } from "./format.ts"
import { either, libraryFunctions } from "./library/libraries.ts"
import { listFunctions } from "./listFunctions.ts"
import { listTransforms } from "./listTransforms.ts"
import { add, arithmetic, type CelFunction, comparison, int, subtract } from "./operators.ts"
import { textFunctions } from "./textFunctions.ts"
import { timeFunctions } from "./timeFunctions.ts"
import {
  CelError,
  CelList,
  CelMap,
  Duration,
  EntryMap,
  Extension,
  keyOf,
  Optional,
  TypeValue,
  textSize,
  typeName,
  Uint,
  type Value
} from "./values.ts"

const isZero = (value: Value): boolean => {
  if (value === null || value === false || value === "" || value === 0n || value === 0) return true
  if (value instanceof Uint) return value.value === 0n
  if (value instanceof Uint8Array) return value.length === 0
  if (value instanceof Duration) return value.nanos === 0n
  return (value instanceof CelList || value instanceof CelMap) && value.size === 0
}

/**
 * The functions of optional values, without `or` and `orValue`, whose argument is evaluated on demand. Upstream:
 * cel-go/cel/library.go.
 */
const optionalFunctions: Readonly<Record<string, CelFunction>> = {
  hasValue: ([optional]) => (optional instanceof Optional ? optional.value !== undefined : undefined),
  "optional.none": () => new Optional(undefined),
  "optional.of": ([value]) => new Optional(value),
  "optional.ofNonZeroValue": ([value = null]) => new Optional(isZero(value) ? undefined : value),
  value: ([optional]) => {
    if (!(optional instanceof Optional)) return undefined
    return optional.value === undefined ? new CelError("optional.none() dereference") : optional.value
  }
}

const indexInto: CelFunction = ([from, index = null]) => {
  if (from instanceof Optional) {
    return from.value === undefined ? from : optionalIndex([from.value, index], undefined as never)
  }
  if (from instanceof CelMap) {
    const key = keyOf(index)
    const found = key === undefined ? undefined : from.get(key)
    return found === undefined ? noKey(index) : found
  }
  if (!(from instanceof CelList)) return noKey(index)
  const place = keyOf(index)
  if (typeof place !== "bigint") return wrongIndex(index)
  if (place < 0n || place >= BigInt(from.size)) return new CelError(`index out of bounds: ${place}`)
  return from.at(Number(place))
}

const noKey = (key: Value): CelError => new CelError(`no such key: ${String(key instanceof Uint ? key.value : key)}`)

const wrongIndex = (index: Value): CelError =>
  new CelError(
    typeof index === "number"
      ? `unsupported index value ${doubleText(index)} in list`
      : `unsupported index type '${typeName(index)}' in list`
  )

const optionalIndex: CelFunction = ([from, index = null]) => {
  if (from instanceof Optional)
    return from.value === undefined ? from : optionalIndex([from.value, index], undefined as never)
  const key = keyOf(index)
  if (from instanceof CelMap) return new Optional(key === undefined ? undefined : from.get(key))
  if (!(from instanceof CelList)) return new Optional(undefined)
  if (typeof key !== "bigint") return wrongIndex(index)
  return new Optional(key >= 0n && key < BigInt(from.size) ? from.at(Number(key)) : undefined)
}

const size: CelFunction = ([value], meter) => {
  if (typeof value === "string") {
    meter.read(value.length)
    return BigInt(textSize(value))
  }
  if (value instanceof Uint8Array) return BigInt(value.length)
  return value instanceof CelList || value instanceof CelMap ? BigInt(value.size) : undefined
}

/** Inserts into the accumulator of `transformMap`, a map of its own that is extended in place. */
const insert: CelFunction = ([map, key = null, value], meter) => {
  if (!(map instanceof EntryMap)) return undefined
  if (value === undefined) {
    if (!(key instanceof CelMap)) return undefined
    for (const each of key.keys()) {
      meter.spend(1)
      if (map.entries.has(each)) return new CelError(`insert failed: key ${String(each)} already exists`)
      map.entries.set(each, key.get(each) ?? null)
    }
    return map
  }
  const name = keyOf(key)
  if (name === undefined) return undefined
  if (map.entries.has(name)) return new CelError(`insert failed: key ${String(name)} already exists`)
  map.entries.set(name, value)
  return map
}

const operators: Readonly<Record<string, CelFunction>> = {
  "!_": ([value]) => (typeof value === "boolean" ? !value : undefined),
  "-_": ([value]) => (typeof value === "bigint" ? int(-value) : typeof value === "number" ? -value : undefined),
  "@in": ([value = null, container = null], meter) => contains(container, value, meter),
  "_!=_": ([left = null, right = null], meter) => !equal(left, right, meter),
  "_%_": arithmetic({ whole: (left, right) => left % right, byZero: "modulus by zero" }),
  "_*_": arithmetic({ whole: (left, right) => left * right, double: (left, right) => left * right }),
  "_+_": add,
  "_-_": subtract,
  "_/_": arithmetic({
    whole: (left, right) => left / right,
    double: (left, right) => left / right,
    byZero: "division by zero"
  }),
  "_<=_": comparison((order) => order <= 0),
  "_<_": comparison((order) => order < 0),
  "_==_": ([left = null, right = null], meter) =>
    left instanceof Extension && right instanceof Extension && !right.isComparable
      ? new CelError("no such overload")
      : equal(left, right, meter),
  "_>=_": comparison((order) => order >= 0),
  "_>_": comparison((order) => order > 0),
  "_?._": optionalIndex,
  "_[?_]": optionalIndex,
  "_[_]": indexInto,
  "cel.@mapInsert": insert,
  dyn: ([value]) => value,
  format,
  size,
  type: ([value = null]) => new TypeValue(typeName(value))
}

const all = new Map(
  [operators, conversions, textFunctions, listFunctions, listTransforms, optionalFunctions, timeFunctions].flatMap(
    (each) => Object.entries(each)
  )
)
for (const [name, work] of Object.entries(libraryFunctions)) {
  const known = all.get(name)
  all.set(name, known === undefined ? work : either(known, work))
}

const notAFunction: CelFunction = () => undefined

/**
 * Returns a function by name, or one of its overloads if that differs; it returns undefined for arguments that it does
 * not accept.
 */
export const functionNamed = (name: string, overload?: string): CelFunction =>
  (overload === undefined ? undefined : all.get(overload)) ?? all.get(name) ?? notAFunction
