import { functionNamed } from "./functions.ts"
import type { Meter } from "./Meter.ts"
import { SORT_BY_KEYS } from "./macros.ts"
import { CelError, CelList, CelMap, Optional, typeName, type Value } from "./values.ts"

/** Evaluates one part of an expression; counts its cost before its work. Errors of the expression are values. */
export type Step = (frame: Frame) => Value

/** The state of one evaluation. */
export interface Frame {
  readonly variables: Readonly<Record<string, Value>>
  /** The values of the names that macros bind; undefined while `cel.bind` has not evaluated one. */
  readonly slots: Array<Value | undefined>
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

/** Returns the error of a loop over a value that is neither a list nor a map; `both` as in `eachIteration`. */
export const notIterable = (value: Value, both: boolean): CelError =>
  new CelError(
    both
      ? `unsupported comprehension range type: ${goTypeName(value)}`
      : `got '${goTypeName(value)}', expected iterable type`
  )

/** Returns the name of a value's type in Go. */
const goTypeName = (value: Value): string => {
  const name = typeName(value).replace(/^.*\./, "")
  if (value instanceof Optional) return "*types.Optional"
  if (name === "type") return "*types.Type"
  return `types.${name === "null_type" ? "Null" : name.charAt(0).toUpperCase() + name.slice(1)}`
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

/**
 * Returns a caller of a function, or of one of its overloads: arguments that it does not accept are an error of the
 * expression.
 */
export const invokerOf = (name: string, overload?: string): ((args: ReadonlyArray<Value>, meter: Meter) => Value) => {
  const work = functionNamed(name, overload)
  return (args, meter) => {
    const made = work(args, meter)
    return made === undefined ? noOverload(name, args) : made
  }
}

/** Functions of values whose types implement them: these do not say which arguments they got. */
const ofTypes: ReadonlySet<string> = new Set("contains endsWith find findAll matches startsWith @in".split(" "))
const ordered = "bool bytes double duration int string timestamp uint"
const numbers = "double int uint"
/** The types whose values an operator is applied to, by its first sign. */
const operatorTypes: Readonly<Record<string, string>> = {
  "_+": `bytes duration list string timestamp ${numbers}`,
  "_-": `duration timestamp ${numbers}`,
  "_*": numbers,
  "_/": numbers,
  "_%": "int uint",
  "_<": ordered,
  "_>": ordered,
  "-_": "bool double duration int"
}

/** Whether values of a type have an operator, or look for it themselves; the others say which operator they lack. */
const hasOperator = (name: string, type: string): boolean => {
  const types = operatorTypes[name.slice(0, 2)]
  const short = type.replace(/^google\.protobuf\./, "").toLowerCase()
  return types === undefined || receivers.has(type) || types.split(" ").includes(short)
}
/** Functions that only values with a certain ability have. */
const ofAbilities: ReadonlySet<string> = new Set(["size", "sort", SORT_BY_KEYS])
/** Types of values that look for a function themselves, and say nothing of it. */
const receivers: ReadonlySet<string> = new Set(["string", "google.protobuf.Duration", "google.protobuf.Timestamp"])

/** Returns the error of arguments that no overload accepts. Upstream: cel-go/common/{types/err,decls/decls}.go. */
export const noOverload = (name: string, args: ReadonlyArray<Value>): CelError => {
  const [first = null] = args
  const type = typeName(first)
  const isOperator = /^[-!_]/.test(name)
  if (isOperator && !hasOperator(name, type)) return new CelError(`no such overload: ${name}`)
  if (isOperator || ofTypes.has(name) || (ofAbilities.has(name) && receivers.has(type)))
    return new CelError("no such overload")
  if (name === "flatten") {
    const [list = "", ...rest] = args.map(typeName)
    return new CelError(`no such overload: ${list}.flatten(${rest.join(", ")})`)
  }
  const applied = ofAbilities.has(name) ? "" : `(${args.map(typeName).join(", ")})`
  return new CelError(`no such overload: ${name}${applied}`)
}

const noKey = (key: string): CelError => new CelError(`no such key: ${key}`)
const noField = new CelError("unsupported index type 'string' in list")

/** Returns a field of a map or object, or of one in an optional value. */
export const selectField = (from: Value, field: string): Value => {
  if (from instanceof CelMap) {
    const found = from.get(field)
    return found === undefined ? noKey(field) : found
  }
  if (from instanceof CelList) return noField
  if (!(from instanceof Optional)) return noKey(field)
  if (from.value === undefined) return from
  return new Optional(from.value instanceof CelMap ? from.value.get(field) : undefined)
}

/** Counts the cost of a selection. cel-go does not observe an optional one without a result. */
export const chosen = (value: Value, meter: Meter, isOptional: boolean): Value => {
  const isObserved = value instanceof CelError ? !isOptional : !(value instanceof Optional) || value.value !== undefined
  if (isObserved) meter.charge(1)
  return value
}

/** Returns whether a field is present, as the macro `has` does. */
export const hasField = (from: Value, field: string): Value => {
  if (from instanceof CelMap) return from.get(field) !== undefined
  if (from instanceof Optional) return from.value instanceof CelMap && from.value.get(field) !== undefined
  return from instanceof CelList ? noField : false
}
