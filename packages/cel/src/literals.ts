import type { Call, Expr } from "./ast.ts"
import { conversions } from "./conversions.ts"
import type { Faults } from "./faults.ts"
import { formatFault } from "./formatLiterals.ts"
import { Meter } from "./Meter.ts"
import { compilePattern, PatternFault } from "./patterns.ts"
import { type CelType, DYN, sameType, shownType, unwrapped } from "./types.ts"
import { CelError, type Value } from "./values.ts"

const converts =
  (to: string) =>
  (value: Value): boolean =>
    !(conversions[to]?.([value], new Meter()) instanceof CelError)

/** Whether a literal argument of these functions is valid. */
const checks: Readonly<Record<string, (value: Value) => boolean>> = {
  matches: (value) => typeof value !== "string" || !(compilePattern(value) instanceof PatternFault),
  duration: converts("duration"),
  timestamp: converts("timestamp")
}

/**
 * Adds what is wrong with the literals of an expression whose types are right: lists and maps of several types, and
 * texts that are parsed when the expression runs. Upstream: cel-go/cel/validator.go; apiserver/pkg/cel/environment/base.go.
 */
export const checkLiterals = (expr: Expr, faults: Faults): void => {
  visit(expr, faults, false)
}

/** Visits an expression; `mixed` says whether literals may have several types: those within a call of `format`. */
const visit = (expr: Expr, faults: Faults, mixed: boolean): void => {
  if (!mixed) checkAggregate(expr, faults)
  if (expr.kind === "call") checkCall(expr, faults)
  const within = mixed || (expr.kind === "call" && expr.name === "format")
  for (const part of partsOf(expr)) visit(part, faults, within)
}

/** Returns the parts of an expression. */
const partsOf = (expr: Expr): ReadonlyArray<Expr> => {
  switch (expr.kind) {
    case "select":
      return [expr.operand]
    case "call":
      return expr.target === undefined ? expr.args : [expr.target, ...expr.args]
    case "list":
      return expr.items
    case "map":
      return expr.entries.flat()
    case "message":
      return expr.fields.map(({ value }) => value)
    case "fold":
      return [expr.range, expr.init, expr.condition, expr.step, expr.result]
    case "bind":
      return [expr.init, expr.result]
    case "optional":
      return [expr.value]
    default:
      return []
  }
}

const checkAggregate = (expr: Expr, faults: Faults): void => {
  if (expr.kind === "list") {
    const odd = expr.items.find((item) => !sameType(typeOf(item), typeOf(expr.items[0] ?? item)))
    if (odd !== undefined) addMismatch(expr.items[0], odd, faults)
  }
  if (expr.kind !== "map") return
  const [first] = expr.entries
  for (const entry of expr.entries) {
    for (const [index, part] of entry.entries()) {
      const wanted = first?.[index]
      if (wanted !== undefined && !sameType(typeOf(part), typeOf(wanted))) addMismatch(wanted, part, faults)
    }
  }
}

const typeOf = ({ type }: Expr): CelType => unwrapped(type ?? DYN)

const addMismatch = (wanted: Expr | undefined, found: Expr, faults: Faults): void => {
  const expected = wanted === undefined ? DYN : typeOf(wanted)
  faults.add(`expected type '${shownType(expected)}' but found '${shownType(typeOf(found))}'`, positionOf(found))
}

/** The position of an optional item is that of its value. */
const positionOf = (expr: Expr): number => (expr.kind === "optional" ? expr.value.at : expr.at)

const checkCall = (expr: Call, faults: Faults): void => {
  const fault = expr.name === "format" ? formatFault(expr) : undefined
  if (fault !== undefined) faults.add(fault.message, fault.at)
  const [argument] = expr.args
  if (argument?.kind !== "literal") return
  if (checks[expr.name]?.(argument.value) === false) faults.add(`invalid ${expr.name} argument`, argument.at)
}
