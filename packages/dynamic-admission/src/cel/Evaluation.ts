import type { KubeObject } from "@rollcall/api"
import { CelError, CelMap, CostExceeded, type Key, Meter, type Value } from "@rollcall/cel"
import type { Subject } from "../Subject.ts"
import { authorizerValues, type Checks } from "./authorizer.ts"
import type { Expression } from "./compileExpression.ts"
import { plainValue } from "./plainValues.ts"
import type { requestValue } from "./request.ts"

/** Thrown when the expressions of one evaluation together cost too much. */
export class OutOfBudget extends Error {
  constructor() {
    super("validation failed due to running out of cost budget, no further validation rules will be run")
  }
}

/** What expressions read. */
export interface Inputs {
  readonly subject: Subject
  readonly object: KubeObject | undefined
  readonly oldObject: KubeObject | undefined
  /** `request`, whose kind and resource are those that matched. */
  readonly request: ReturnType<typeof requestValue>
  readonly params: KubeObject | undefined
  readonly namespaceObject: KubeObject | undefined
  /** Undefined for expressions that may not ask. */
  readonly checks: Checks | undefined
  /** The variables of the policy by name. */
  readonly variables: ReadonlyMap<string, Expression>
}

/** The result of an expression: a value, or why there is none. */
export type Outcome = { readonly value: Value } | { readonly error: string }

/** Evaluates expressions over one request, within a budget. Upstream: plugin/cel/{activation,condition,composition}.go. */
export class Evaluation {
  /** How much the next expressions may cost together. */
  budget: number
  private readonly values: Readonly<Record<string, Value>>
  private spent = 0

  constructor(inputs: Inputs, budget: number) {
    this.budget = budget
    this.values = {
      object: plainValue(inputs.object),
      oldObject: plainValue(inputs.oldObject),
      params: plainValue(inputs.params),
      request: plainValue(inputs.request),
      namespaceObject: plainValue(inputs.namespaceObject),
      ...(inputs.checks === undefined ? {} : authorizerValues(inputs.checks, inputs.subject)),
      variables: new Variables(inputs.variables, (name, expression) => this.variable(name, expression))
    }
  }

  /** Evaluates an expression. Throws `OutOfBudget`. */
  evaluate(expression: Expression): Outcome {
    const { fault, program, text } = expression
    if (program === undefined) return { error: `compilation error: ${fault}` }
    this.spent = 0
    const { cost, result } = run(program, this.values)
    this.budget -= this.spent + cost
    if (this.budget < 0) throw new OutOfBudget()
    if (typeof result === "object" && result instanceof CelError) {
      return { error: `expression '${text}' resulted in error: ${result.message}` }
    }
    return { value: result }
  }

  private variable(name: string, { fault, program }: Expression): Value {
    if (program === undefined) return new CelError(`composited variable "${name}" fails to compile: ${fault}`)
    const { cost, result } = run(program, this.values)
    this.spent += cost
    return result instanceof CelError
      ? new CelError(`composited variable "${name}" fails to evaluate: ${result.message}`)
      : result
  }
}

const run = (program: NonNullable<Expression["program"]>, values: Readonly<Record<string, Value>>) => {
  const meter = new Meter()
  try {
    const result = program(values, meter)
    return { cost: meter.cost, result }
  } catch (error) {
    if (!(error instanceof CostExceeded)) throw error
    return { cost: meter.cost, result: new CelError(error.message) }
  }
}

/** The variables of a policy, each evaluated when it is first read. */
class Variables extends CelMap {
  private readonly expressions: ReadonlyMap<string, Expression>
  private readonly evaluate: (name: string, expression: Expression) => Value
  private readonly known = new Map<string, Value>()

  constructor(expressions: ReadonlyMap<string, Expression>, evaluate: (name: string, of: Expression) => Value) {
    super()
    this.expressions = expressions
    this.evaluate = evaluate
  }

  get size(): number {
    return this.expressions.size
  }

  get(key: Key): Value | undefined {
    const expression = this.expressions.get(String(key))
    if (expression === undefined) return undefined
    const name = String(key)
    const known = this.known.get(name) ?? this.evaluate(name, expression)
    this.known.set(name, known)
    return known
  }

  keys(): Iterable<Key> {
    return this.expressions.keys()
  }
}
