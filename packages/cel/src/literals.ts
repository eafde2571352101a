import type { Expr } from "./ast.ts"
import { parseDuration, parseTimestamp } from "./conversions.ts"
import { compilePattern, PatternFault } from "./patterns.ts"

/** Whether a literal argument of these functions is valid. */
const checks: Readonly<Record<string, (text: string) => boolean>> = {
  matches: (text) => !(compilePattern(text) instanceof PatternFault),
  duration: (text) => parseDuration(text) !== undefined,
  timestamp: (text) => parseTimestamp(text) !== undefined
}

/**
 * Returns what is wrong with the literal argument of a call, which is parsed at run time, and where; undefined if nothing
 * is. Upstream: cel-go/cel/validator.go.
 */
export const invalidLiteral = (expr: Expr): { readonly message: string; readonly at: number } | undefined => {
  if (expr.kind !== "call") return undefined
  const [argument] = expr.args.slice(-1)
  if (argument?.kind !== "literal" || typeof argument.value !== "string") return undefined
  return checks[expr.name]?.(argument.value) === false
    ? { message: `invalid ${expr.name} argument`, at: argument.at }
    : undefined
}
