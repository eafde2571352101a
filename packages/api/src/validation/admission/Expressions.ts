import type { FieldErrorType } from "../FieldError.ts"

/** What an expression may read, and what it must return. */
export interface ExpressionUse {
  readonly returns: "any" | "bool" | "string" | "stringOrNull" | "object" | "patch"
  readonly params: boolean
  readonly authorizer: boolean
  /** Whether it may make objects and operations of JSON patches. */
  readonly patches?: boolean
}

/** What is wrong with an expression. */
export interface ExpressionFault {
  readonly type: FieldErrorType
  readonly detail: string
}

/** Compiles the expressions of one object. */
export interface Expressions {
  /** Checks an expression. */
  readonly check: (text: string, use: ExpressionUse) => ExpressionFault | undefined
  /** Checks the expression of a variable, which later expressions of `checkComposed` may read by its name. */
  readonly variable: (name: string, text: string, use: ExpressionUse) => ExpressionFault | undefined
  /** Checks an expression that may read the variables so far. */
  readonly checkComposed: (text: string, use: ExpressionUse) => ExpressionFault | undefined
}

/**
 * Makes the checks of one object, whose expressions know `variables` if it `composes`. Servers pass one that compiles; by
 * itself this package compiles nothing.
 */
export type MakeExpressions = (composes?: boolean) => Expressions

const accepted = (): undefined => undefined

export const unchecked: MakeExpressions = () => ({ check: accepted, variable: accepted, checkComposed: accepted })
