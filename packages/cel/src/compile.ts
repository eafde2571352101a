import { runAllSteps, type Steps } from "@rollcall/time"
import { check, type MessageTypeOf, MissingFunction, TypeFault } from "./check.ts"
import { estimateCost } from "./estimate.ts"
import { type Program, plan } from "./evaluate.ts"
import { parseExpression, SyntaxFault } from "./parse.ts"
import type { CelType } from "./types.ts"

/** A compiled expression. */
export interface Compiled {
  readonly program: Program
  readonly type: CelType
  /** The variables that it reads. */
  readonly variables: ReadonlySet<string>
  /** The maximum cost, for the largest values that `self` allows. */
  readonly maxCost: number
}

/**
 * Why an expression cannot be compiled: `ERROR: <input>:1:5: undefined field 'b'`, and the line with a marker below.
 */
export class CompileFault {
  readonly message: string
  /** Whether it calls a Kubernetes function that is not implemented: the expression may be valid. */
  readonly unsupported: boolean
  constructor(message: string, unsupported: boolean) {
    this.message = message
    this.unsupported = unsupported
  }
}

/**
 * Compiles an expression over variables: parses it, checks its types and estimates its cost, for values as large as the
 * type of `self` allows. Each phase takes some 50 ms for the longest expression.
 */
export const compileInSteps = function* (
  text: string,
  variables: Readonly<Record<string, CelType>>,
  self: CelType,
  messageTypeOf?: MessageTypeOf
): Steps<Compiled | CompileFault> {
  try {
    const expr = parseExpression(text)
    yield
    const { type, variables: read } = check(expr, variables, messageTypeOf)
    yield
    return { program: plan(expr), type, variables: read, maxCost: estimateCost(expr, self).max }
  } catch (error) {
    if (error instanceof MissingFunction) return new CompileFault(error.message, true)
    if (error instanceof SyntaxFault || error instanceof TypeFault)
      return new CompileFault(displayText(text, error), false)
    throw error
  }
}

/** Does the work of `compileInSteps` in one piece, without pauses. */
export const compile = (...of: Parameters<typeof compileInSteps>): Compiled | CompileFault =>
  runAllSteps(compileInSteps(...of))

/**
 * Returns an error with its position, and the line with a marker. Upstream: cel-go/common/error.go, ToDisplayString.
 */
const displayText = (text: string, { at, message }: SyntaxFault | TypeFault): string => {
  const place = Math.max(0, Math.min(at, text.length))
  const before = text.slice(0, place)
  const start = before.lastIndexOf("\n") + 1
  const end = text.indexOf("\n", place)
  const line = text.slice(start, end < 0 ? undefined : end)
  const row = before.split("\n").length
  const column = Array.from(text.slice(start, place)).length
  return `ERROR: <input>:${row}:${column + 1}: ${message}\n | ${line.replaceAll("\t", " ")}\n | ${".".repeat(column)}^`
}
