import { runAllSteps, type Steps } from "@rollcall/time"
import { check } from "./check.ts"
import { ConstantFault } from "./constants.ts"
import type { Declarations } from "./declarations.ts"
import { estimateCost } from "./estimate.ts"
import { type Program, plan } from "./evaluate.ts"
import { displayFaults } from "./faults.ts"
import { MAX_LENGTH, parseExpression } from "./parse.ts"
import { SyntaxFault } from "./SyntaxFault.ts"
import { syntaxFaults } from "./syntaxFaults.ts"
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
 * Why an expression cannot be compiled: `ERROR: <input>:1:5: undefined field 'b'`, and the line with a marker below. The
 * phase is that which failed: the evaluation of its constants is part of the instantiation.
 */
export class CompileFault {
  readonly message: string
  readonly phase: "compilation" | "instantiation"
  /** The type of an expression that is compiled and has no program. */
  readonly type: CelType | undefined
  constructor(message: string, phase: CompileFault["phase"] = "compilation", type?: CelType) {
    this.message = message
    this.phase = phase
    this.type = type
  }

  /** Returns the message as it is shown for a program. */
  get described(): string {
    return `${this.phase === "compilation" ? "" : "program "}${this.phase} failed: ${this.message}`
  }
}

/** What some expressions may use in addition to what all may. */
export interface Additions extends Pick<Declarations, "messageTypeOf"> {
  /** Whether there is the macro `cel.bind`. */
  readonly bindings?: boolean
  /** The variable whose type limits sizes; by default, as in rules, any variable counts as `self`. */
  readonly sizedVariable?: string
}

/**
 * Compiles an expression over variables: parses it, checks its types and estimates its cost, for values as large as the
 * type of `self` allows. Each phase takes some 50 ms for the longest expression.
 */
export const compileInSteps = function* (
  text: string,
  variables: Readonly<Record<string, CelType>>,
  self: CelType,
  { bindings = false, messageTypeOf, sizedVariable }: Additions = {}
): Steps<Compiled | CompileFault> {
  let typed: CelType | undefined
  try {
    const syntax = text.length > MAX_LENGTH ? [] : syntaxFaults(text)
    if (syntax.length > 0) return new CompileFault(displayFaults(text, syntax))
    yield
    const expr = parseExpression(text, bindings)
    yield
    const { faults, type, variables: read } = check(expr, { variables, messageTypeOf })
    if (faults.list.length > 0) return new CompileFault(displayFaults(text, faults.list))
    typed = type
    yield
    return { program: plan(expr), type, variables: read, maxCost: estimateCost(expr, self, sizedVariable).max }
  } catch (error) {
    if (error instanceof ConstantFault) return new CompileFault(error.message, "instantiation", typed)
    if (error instanceof SyntaxFault) return new CompileFault(displayFaults(text, [error]))
    throw error
  }
}

/** Does the work of `compileInSteps` in one piece, without pauses. */
export const compile = (...of: Parameters<typeof compileInSteps>): Compiled | CompileFault =>
  runAllSteps(compileInSteps(...of))
