import type { MutatingAdmissionPolicy } from "@rollcall/api"
import { compileExpression, type Expression } from "../cel/compileExpression.ts"
import type { Inputs } from "../cel/Evaluation.ts"
import { type Conditions, compileConditions, compileVariables, evaluateConditions } from "./conditions.ts"

export interface CompiledMutation {
  readonly patchType: string
  readonly expression: Expression
}

/** A compiled policy. Upstream: plugin/policy/mutating/compilation.go. */
export class MutatingPolicy {
  private readonly failurePolicy: string
  private readonly conditions: ReadonlyArray<Expression>
  readonly mutations: ReadonlyArray<CompiledMutation>
  readonly variables: ReadonlyMap<string, Expression>

  constructor({ spec = {} }: MutatingAdmissionPolicy) {
    const { matchConditions = [], mutations = [], paramKind } = spec
    const { type, variables } = compileVariables(spec.variables ?? [], paramKind)
    const use = { params: paramKind !== undefined, authorizer: true, patches: true }
    this.failurePolicy = spec.failurePolicy ?? "Fail"
    this.variables = variables
    this.conditions = compileConditions(matchConditions, use.params, type)
    this.mutations = mutations.map(({ applyConfiguration, jsonPatch, patchType }) => {
      const text = ((patchType === "JSONPatch" ? jsonPatch : applyConfiguration)?.expression ?? "").trim()
      const returns = patchType === "JSONPatch" ? "patch" : "object"
      return { patchType, expression: compileExpression(text, { ...use, returns }, type) }
    })
  }

  /** Whether the match conditions hold. */
  matches(inputs: Inputs): Conditions {
    return evaluateConditions(this.conditions, inputs, this.failurePolicy)
  }
}
