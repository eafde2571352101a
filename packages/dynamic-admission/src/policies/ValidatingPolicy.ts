import type { ValidatingAdmissionPolicy, Validation } from "@rollcall/api"
import { compileExpression, type Expression } from "../cel/compileExpression.ts"
import { Evaluation, type Inputs, type Outcome, OutOfBudget } from "../cel/Evaluation.ts"
import { compileConditions, compileVariables, evaluateConditions } from "./conditions.ts"

/** How much the validations of a policy may cost. Upstream: apiserver/pkg/apis/cel/config.go. */
const BUDGET = 10_000_000
const MAX_MESSAGE_BYTES = 5 * 1024

/** What one expression of a policy says of a request. */
export interface Decision {
  readonly message: string
  readonly reason: string
}

/** An annotation of the audit event, or why it cannot be made. */
export interface AuditAnnotationResult {
  readonly key: string
  readonly value?: string
  readonly error?: string
}

export interface PolicyResult {
  /** The denials by the indexes of the validations. */
  readonly denials: ReadonlyArray<Decision & { readonly index: number }>
  readonly annotations: ReadonlyArray<AuditAnnotationResult>
}

const nothing: PolicyResult = { denials: [], annotations: [] }

/** A compiled policy. Upstream: plugin/policy/validating/{plugin,validator}.go. */
export class ValidatingPolicy {
  private readonly failurePolicy: string
  private readonly conditions: ReadonlyArray<Expression>
  private readonly validations: ReadonlyArray<Validation>
  private readonly expressions: ReadonlyArray<Expression>
  private readonly messages: ReadonlyArray<Expression | undefined>
  private readonly annotations: ReadonlyArray<readonly [string, Expression]>
  readonly variables: ReadonlyMap<string, Expression>

  constructor({ spec = {} }: ValidatingAdmissionPolicy) {
    const { auditAnnotations = [], matchConditions = [], paramKind, validations = [] } = spec
    const { type, variables } = compileVariables(spec.variables ?? [], paramKind)
    const use = { params: paramKind !== undefined, authorizer: true }
    this.failurePolicy = spec.failurePolicy ?? "Fail"
    this.variables = variables
    this.validations = validations
    this.conditions = compileConditions(matchConditions, use.params, type)
    this.expressions = validations.map(({ expression }) =>
      compileExpression(expression, { ...use, returns: "bool" }, type)
    )
    this.messages = validations.map(({ messageExpression }) =>
      messageExpression
        ? compileExpression(messageExpression, { ...use, authorizer: false, returns: "string" }, type)
        : undefined
    )
    this.annotations = auditAnnotations.map(({ key, valueExpression }) => [
      key,
      compileExpression(valueExpression, { ...use, returns: "stringOrNull" }, type)
    ])
  }

  /** Evaluates the policy for a request and one object of parameters. */
  evaluate(inputs: Inputs): PolicyResult {
    const matched = evaluateConditions(this.conditions, inputs, this.failurePolicy)
    if (typeof matched !== "boolean") return this.failed(matched.error)
    if (!matched) return nothing
    try {
      const denials = this.denials(inputs)
      return { denials, annotations: this.annotate(inputs) }
    } catch (error) {
      if (error instanceof OutOfBudget) return this.failed(error.message)
      throw error
    }
  }

  private get isFatal(): boolean {
    return this.failurePolicy !== "Ignore"
  }

  private failed(message: string): PolicyResult {
    return this.isFatal ? { denials: [{ index: 0, message, reason: "" }], annotations: [] } : nothing
  }

  private denials(inputs: Inputs): PolicyResult["denials"] {
    const evaluation = new Evaluation(inputs, BUDGET)
    const outcomes = this.expressions.map((expression) => evaluation.evaluate(expression))
    const messages = this.evaluateMessages({ ...inputs, checks: undefined }, evaluation.budget)
    return outcomes.flatMap((outcome, index) => {
      const denial = this.denial(outcome, index, messages)
      return denial === undefined ? [] : [{ ...denial, index }]
    })
  }

  private denial(
    outcome: Outcome,
    index: number,
    messages: ReadonlyArray<Outcome | undefined> | string
  ): Decision | undefined {
    const fault =
      "error" in outcome
        ? outcome.error
        : typeof messages === "string"
          ? `failed messageExpression: ${messages}`
          : undefined
    if (fault !== undefined) return this.isFatal ? { message: fault, reason: "" } : undefined
    if ("value" in outcome && outcome.value === true) return undefined
    const { expression, message = "", reason = "Invalid" } = this.validations[index] as Validation
    const made = typeof messages === "string" ? "" : messageOf(messages[index])
    return { message: made || message.trim() || `failed expression: ${expression.trim()}`, reason }
  }

  /** Evaluates all message expressions with what is left of the budget; returns why not, if that is too little. */
  private evaluateMessages(inputs: Inputs, budget: number): ReadonlyArray<Outcome | undefined> | string {
    const evaluation = new Evaluation(inputs, budget)
    try {
      return this.messages.map((expression) => expression && evaluation.evaluate(expression))
    } catch (error) {
      if (error instanceof OutOfBudget) return error.message
      throw error
    }
  }

  private annotate(inputs: Inputs): PolicyResult["annotations"] {
    if (this.annotations.length === 0) return []
    const evaluation = new Evaluation({ ...inputs, checks: undefined }, BUDGET)
    return this.annotations.flatMap(([key, expression]): PolicyResult["annotations"] => {
      const outcome = evaluation.evaluate(expression)
      if ("error" in outcome) return this.isFatal ? [{ key, error: outcome.error }] : []
      const value = typeof outcome.value === "string" ? outcome.value.trim() : ""
      return value === "" ? [] : [{ key, value }]
    })
  }
}

/** Returns the text of a message expression; empty unless it is one line of limited size. */
const messageOf = (outcome: Outcome | undefined): string => {
  if (outcome === undefined || "error" in outcome || typeof outcome.value !== "string") return ""
  const text = outcome.value.trim()
  return text.includes("\n") || Buffer.byteLength(text) > MAX_MESSAGE_BYTES ? "" : text
}
