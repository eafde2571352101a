import type { Call, Expr } from "./ast.ts"
import { Meter } from "./Meter.ts"
import { compilePattern, PatternFault } from "./patterns.ts"
import { invokerOf } from "./steps.ts"
import { qualifiedName, typeNamed } from "./typeNames.ts"
import type { CelType } from "./types.ts"
import { CelError, EntryMap, ItemList, type Key, keyOf, TypeValue, Uint, type Value } from "./values.ts"

/** Thrown when a constant part of an expression is an error: the expression cannot be compiled. */
export class ConstantFault extends Error {}

/** Functions whose constant patterns are compiled at once. */
const withPatterns: ReadonlySet<string> = new Set(["find", "findAll", "matches"])

/** Throws `ConstantFault` if a function's pattern is constant and invalid. */
export const checkPattern = (name: string, pattern: Expr | undefined): void => {
  if (pattern === undefined || !withPatterns.has(name)) return
  const text = constantValue(pattern)
  const compiled = typeof text === "string" ? compilePattern(text) : undefined
  if (compiled instanceof PatternFault) throw new ConstantFault(compiled.message)
}

/** Returns the type that an expression names (`int`), which is a constant; undefined for other expressions. */
export const typeNameOf = (expr: Expr): string | undefined => {
  const name = expr.type?.kind === "type" ? qualifiedName(expr) : undefined
  return name === undefined ? undefined : (typeNamed(name) ?? messageNamed(expr, name))?.name
}

/** Returns the type of the messages that an expression names, if it does. */
const messageNamed = ({ type }: Expr, name: string): CelType | undefined =>
  type?.params.find((each) => each.kind === "object" && each.name === name)

/** Whether an expression is an attribute in cel-go's sense: a variable, or a selection or index, of any value. */
export const isAttribute = (expr: Expr): boolean => {
  if (typeNameOf(expr) !== undefined) return false
  if (expr.kind === "ident") return true
  return expr.kind === "select" ? !expr.testOnly : expr.kind === "call" && isIndex(expr.name)
}

/** Whether an attribute costs something itself: not if it selects from the branches of a condition. */
export const ownsCost = (expr: Expr): boolean => {
  if (expr.kind === "select" && expr.variable === undefined) return ownsCost(expr.operand)
  if (expr.kind !== "call") return true
  const [operand] = expr.args
  return isIndex(expr.name) && operand !== undefined ? ownsCost(operand) : expr.name !== "_?_:_"
}

const isIndex = (name: string): boolean => name === "_[_]" || name === "_?._" || name === "_[?_]"

/** The conversions that cel-go evaluates once if their argument is constant. */
const conversions: ReadonlySet<string> = new Set(
  "bool bytes double duration dyn int string timestamp type uint".split(" ")
)

/**
 * Returns the value of an expression that cel-go evaluates once: a literal, a type, a list or map of constants, or a
 * conversion of one. Undefined for other expressions. Throws `ConstantFault` if a conversion fails. Upstream:
 * cel-go/interpreter/decorators.go.
 */
export const constantValue = (expr: Expr): Value | undefined => {
  if (expr.kind === "literal") return expr.value
  if (!known.has(expr)) known.set(expr, evaluateOnce(expr))
  return known.get(expr)
}

/** What is known of expressions: each level of a tree asks for those below it. */
const known = new WeakMap<Expr, Value | undefined>()

const evaluateOnce = (expr: Expr): Value | undefined => {
  switch (expr.kind) {
    case "ident":
    case "select": {
      const name = typeNameOf(expr)
      return name === undefined ? undefined : new TypeValue(name)
    }
    case "list":
      return constantList(expr.items)
    case "map":
      return constantMap(expr.entries)
    case "call":
      return isInEmptyList(expr) ? false : constantConversion(expr)
    default:
      return undefined
  }
}

const constantList = (items: ReadonlyArray<Expr>): Value | undefined => {
  const values: Array<Value> = []
  for (const item of items) {
    const value = constantValue(item)
    if (value === undefined) return undefined
    values.push(value)
  }
  return new ItemList(values)
}

const constantMap = (entries: ReadonlyArray<readonly [Expr, Expr]>): Value | undefined => {
  const values = new Map<Key, Value>()
  for (const [key, item] of entries) {
    const name = constantValue(key)
    const value = constantValue(item)
    const place = name === undefined ? undefined : keyOf(name)
    if (place === undefined || value === undefined) return undefined
    values.set(place, value)
  }
  return new EntryMap(values)
}

/** Nothing is in an empty list. */
const isInEmptyList = ({ args: [, list], name, overloads }: Call): boolean => {
  if (name !== "@in" || list === undefined || overloads?.length !== 1) return false
  const items = constantValue(list)
  return items instanceof ItemList && items.size === 0
}

const constantConversion = ({ args: [argument, ...more], name, overloads, target }: Call): Value | undefined => {
  if (argument === undefined || target !== undefined || more.length > 0 || !conversions.has(name)) return undefined
  const value = constantValue(argument)
  if (value === undefined) return undefined
  const made = invokerOf(name, overloads?.length === 1 ? overloads[0] : undefined)([value], new Meter())
  if (made instanceof CelError) throw new ConstantFault(made.message)
  return made
}

/** Whether an expression is a list of constants of which cel-go makes a set. */
export const isConstantSet = (expr: Expr): boolean => {
  const list = constantValue(expr)
  return list instanceof ItemList && list.items.every(isPrimitive)
}

const isPrimitive = (value: Value): boolean =>
  ["bigint", "boolean", "number", "string"].includes(typeof value) || value instanceof Uint
