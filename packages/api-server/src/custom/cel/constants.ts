import type { Expr } from "./ast.ts"
import { functionNamed } from "./functions.ts"
import { Meter } from "./Meter.ts"
import { qualifiedName, typeNamed } from "./typeNames.ts"
import { CelError, ItemList, type Value } from "./values.ts"

/** A type name used as an expression: a constant. */
export const typeNameOf = (expr: Expr): string | undefined => {
  const name = expr.type?.kind === "type" ? qualifiedName(expr) : undefined
  return name === undefined ? undefined : typeNamed(name)?.name
}

/** A variable, with selections and indexes. */
export const isAttribute = (expr: Expr): boolean => {
  if (typeNameOf(expr) !== undefined) return false
  if (expr.kind === "ident") return true
  if (expr.kind === "select") return !expr.testOnly && isAttribute(expr.operand)
  return expr.kind === "call" && expr.name === "_[_]" && expr.args[0] !== undefined && isAttribute(expr.args[0])
}

/** Literals, and lists and maps of literals: cel-go evaluates them once. */
export const isConstant = (expr: Expr): boolean => expr.kind === "literal" || isConstantList(expr)

export const isConstantList = (expr: Expr): boolean => expr.kind === "list" && expr.items.every(isConstant)

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

/** A conversion of a literal is evaluated once, if it succeeds. */
export const foldedConversion = ({ args, name }: Expr & { readonly kind: "call" }): Value | undefined => {
  const [only, ...more] = args
  if (!conversions.has(name) || only?.kind !== "literal" || more.length > 0) return undefined
  const value = functionNamed(name)([only.value], new Meter())
  return value === undefined || value instanceof CelError ? undefined : value
}
