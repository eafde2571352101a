import { functionNamed } from "./functions.ts"
import type { Meter } from "./Meter.ts"
import { CelError, CelList, CelMap, Optional, type Value } from "./values.ts"

/** One step of an evaluation: it counts its cost before it runs. */
export type Step = (frame: Frame) => Value

export interface Frame {
  readonly variables: Readonly<Record<string, Value>>
  /** The values of the names that macros bind. */
  readonly slots: Array<Value>
  readonly meter: Meter
}

/** Visits the items of a comprehension's range until a visit returns false; returns false when the value has no items. */
export const eachTurn = (items: Value, both: boolean, turn: (one: Value, two: Value) => boolean): boolean => {
  if (items instanceof CelList) {
    items.each((item, index) => (both ? turn(BigInt(index), item) : turn(item, null)))
    return true
  }
  if (!(items instanceof CelMap)) return false
  for (const key of items.keys()) if (!turn(key, both ? (items.get(key) ?? null) : null)) break
  return true
}

export const charged =
  (step: Step): Step =>
  (frame) => {
    frame.meter.charge(1)
    return step(frame)
  }

export const constant =
  (value: Value): Step =>
  () =>
    value

/** Calls a function; arguments that it does not accept are an error of the expression. */
export const invoker = (name: string): ((args: ReadonlyArray<Value>, meter: Meter) => Value) => {
  const work = functionNamed(name)
  return (args, meter) => {
    const made = work(args, meter)
    return made === undefined ? noOverload(name) : made
  }
}

export const noOverload = (name: string): CelError => new CelError(`no such overload: ${name}`)

const noKey = (key: string): CelError => new CelError(`no such key: ${key}`)

export const selected = (from: Value, field: string): Value => {
  if (from instanceof CelMap) {
    const found = from.get(field)
    return found === undefined ? noKey(field) : found
  }
  if (!(from instanceof Optional)) return noOverload("select")
  if (from.value === undefined) return from
  return new Optional(from.value instanceof CelMap ? from.value.get(field) : undefined)
}

export const present = (from: Value, field: string): Value => {
  if (from instanceof CelMap) return from.get(field) !== undefined
  if (from instanceof Optional) return from.value instanceof CelMap && from.value.get(field) !== undefined
  return noOverload("has")
}
