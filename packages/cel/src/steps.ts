import { functionNamed } from "./functions.ts"
import type { Meter } from "./Meter.ts"
import { CelError, CelList, CelMap, Optional, type Value } from "./values.ts"

/** Evaluates one part of an expression; counts its cost before its work. Errors of the expression are values. */
export type Step = (frame: Frame) => Value

/** The state of one evaluation. */
export interface Frame {
  readonly variables: Readonly<Record<string, Value>>
  /** The values of the names that macros bind. */
  readonly slots: Array<Value>
  readonly meter: Meter
}

/**
 * Visits the items of a comprehension's range until a visit returns false. With `both`, a visit gets the index and item
 * of a list or the key and value of a map, otherwise only the item or key. Returns false if the value is neither.
 */
export const eachIteration = (items: Value, both: boolean, visit: (one: Value, two: Value) => boolean): boolean => {
  if (items instanceof CelList) {
    items.each((item, index) => (both ? visit(BigInt(index), item) : visit(item, null)))
    return true
  }
  if (!(items instanceof CelMap)) return false
  for (const key of items.keys()) if (!visit(key, both ? (items.get(key) ?? null) : null)) break
  return true
}

/** Returns a step that costs 1 more. */
export const withCost =
  (step: Step): Step =>
  (frame) => {
    frame.meter.charge(1)
    return step(frame)
  }

export const constantStep =
  (value: Value): Step =>
  () =>
    value

/** Returns a step that reads a variable. */
export const variableStep = (name: string): Step => {
  const missing = new CelError(`no such attribute(s): ${name}`)
  return ({ variables }) => {
    const value = Object.hasOwn(variables, name) ? variables[name] : undefined
    return value === undefined ? missing : value
  }
}

/** Returns a caller of a function: arguments that the function does not accept are an error of the expression. */
export const invokerOf = (name: string): ((args: ReadonlyArray<Value>, meter: Meter) => Value) => {
  const work = functionNamed(name)
  return (args, meter) => {
    const made = work(args, meter)
    return made === undefined ? noOverload(name) : made
  }
}

export const noOverload = (name: string): CelError => new CelError(`no such overload: ${name}`)

const noKey = (key: string): CelError => new CelError(`no such key: ${key}`)

/** Returns a field of a map or object, or of one in an optional value. */
export const selectField = (from: Value, field: string): Value => {
  if (from instanceof CelMap) {
    const found = from.get(field)
    return found === undefined ? noKey(field) : found
  }
  if (!(from instanceof Optional)) return noOverload("select")
  if (from.value === undefined) return from
  return new Optional(from.value instanceof CelMap ? from.value.get(field) : undefined)
}

/** Returns whether a field is present, as the macro `has` does. */
export const hasField = (from: Value, field: string): Value => {
  if (from instanceof CelMap) return from.get(field) !== undefined
  if (from instanceof Optional) return from.value instanceof CelMap && from.value.get(field) !== undefined
  return noOverload("has")
}
