import type { Expr } from "./ast.ts"
import { functionNamed } from "./functions.ts"
import { Meter } from "./Meter.ts"
import { qualifiedName, typeNamed } from "./typeNames.ts"
import { CelError, ItemList, type Value } from "./values.ts"

/** Returns the type that an expression names (`int`), which is a constant; undefined for other expressions. */
export const typeNameOf = (expr: Expr): string | undefined => {
  const name = expr.type?.kind === "type" ? qualifiedName(expr) : undefined
  return name === undefined ? undefined : typeNamed(name)?.name
}

/** Whether an expression is an attribute in cel-go's sense: a variable, with its selections and indexes. */
export const isAttribute = (expr: Expr): boolean => {
  if (typeNameOf(expr) !== undefined) return false
  if (expr.kind === "ident" || expr.variable !== undefined) return true
  if (expr.kind === "select") return !expr.testOnly && isAttribute(expr.operand)
  return expr.kind === "call" && expr.name === "_[_]" && expr.args[0] !== undefined && isAttribute(expr.args[0])
}

/** Whether an expression is a literal or a list of such: cel-go evaluates these once. */
export const isConstant = (expr: Expr): boolean => expr.kind === "literal" || isConstantList(expr)

export const isConstantList = (expr: Expr): boolean => expr.kind === "list" && expr.items.every(isConstant)

/** Returns the value of a constant expression. */
export const constantValue = (expr: Expr): Value => {
  if (expr.kind === "literal") return expr.value
  return expr.kind === "list" ? new ItemList(expr.items.map(constantValue)) : null
}

const conversions: ReadonlySet<string> = new Set([
  "bool",
  "bytes",
  "double",
  "duration",
  "int",
  "string",
  "timestamp",
  "uint"
])

/** Returns the value of a conversion of a literal, which cel-go evaluates once; undefined if it fails or is none. */
export const foldedConversion = ({ args, name }: Expr & { readonly kind: "call" }): Value | undefined => {
  const [argument, ...more] = args
  if (!conversions.has(name) || argument?.kind !== "literal" || more.length > 0) return undefined
  const value = functionNamed(name)([argument.value], new Meter())
  return value === undefined || value instanceof CelError ? undefined : value
}
