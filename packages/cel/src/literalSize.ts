import type { Expr } from "./ast.ts"
import { fixed, type Range } from "./estimateSizes.ts"
import { sizeOf } from "./values.ts"

/** Returns the size of a literal, list or map by its text. */
export const literalSize = (expr: Expr): Range | undefined => {
  if (expr.kind === "literal") return fixed(sizeOf(expr.value))
  if (expr.kind === "list") return fixed(expr.items.length)
  return expr.kind === "map" ? fixed(expr.entries.length) : undefined
}
