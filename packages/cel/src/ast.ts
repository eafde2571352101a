import type { CelType } from "./types.ts"
import type { Value } from "./values.ts"

/**
 * An expression with expanded macros, as in cel-go, so that its costs are cel-go's. Upstream:
 * cel-go/common/ast/expr.go.
 */
export type Expr =
  | (Node & { readonly kind: "literal"; readonly value: Value })
  | (Node & { readonly kind: "ident"; readonly name: string; readonly isRoot?: boolean })
  | (Node & { readonly kind: "select"; readonly operand: Expr; readonly field: string; readonly testOnly: boolean })
  | Call
  | (Node & { readonly kind: "list"; readonly items: ReadonlyArray<Expr> })
  | (Node & { readonly kind: "map"; readonly entries: ReadonlyArray<readonly [Expr, Expr]> })
  | OptionalPart
  | Fold
  | Message
  | (Node & { readonly kind: "bind"; readonly name: string; readonly init: Expr; readonly result: Expr })

/** A call. Checking turns a target that is only part of the function's name into such a part: `optional.of(1)`. */
export type Call = Node & {
  readonly kind: "call"
  name: string
  target: Expr | undefined
  readonly args: ReadonlyArray<Expr>
}

/** The item of a list, or the value of a map or message, that is left out if it has no value: `[?a]`. */
export type OptionalPart = Node & { readonly kind: "optional"; readonly value: Expr }

/** The construction of a message: `Object.spec{replicas: 1}`. */
export type Message = Node & {
  readonly kind: "message"
  readonly name: string
  /** The fields, each with the position of its colon. */
  readonly fields: ReadonlyArray<{ readonly at: number; readonly name: string; readonly value: Expr }>
}

/** A comprehension: the expansion of a macro such as `all`. */
export type Fold = Node & {
  readonly kind: "fold"
  readonly range: Expr
  /** The item of a list or the key of a map; with `second`, the index or the key. */
  readonly first: string
  readonly second: string | undefined
  readonly init: Expr
  readonly condition: Expr
  readonly step: Expr
  readonly result: Expr
}

/** The common part of expressions; `type` and `overloads` are set by checking. */
export interface Node {
  /** The position in the text, for messages. */
  readonly at: number
  type?: CelType
  /** The possible overloads of a call. */
  overloads?: ReadonlyArray<string>
  /** The variable of a qualified name that selections name: `authorizer.requestResource`. */
  variable?: string
}

/** The name of a comprehension's accumulator, which no expression can write. */
export const ACCUMULATOR = "@result"

export const literal = (at: number, value: Value): Expr => ({ kind: "literal", at, value })
export const ident = (at: number, name: string): Expr => ({ kind: "ident", at, name })
export const call = (at: number, name: string, args: ReadonlyArray<Expr>, target?: Expr): Call => ({
  kind: "call",
  at,
  name,
  target,
  args
})
export const list = (at: number, items: ReadonlyArray<Expr>): Expr => ({ kind: "list", at, items })
