import type { MatchCondition, ParamKind, Variable } from "@rollcall/api"
import type { CelType } from "@rollcall/cel"
import { compileExpression, type Expression } from "../cel/compileExpression.ts"
import { Evaluation, type Inputs, OutOfBudget } from "../cel/Evaluation.ts"
import { variablesType } from "../cel/environment.ts"

/** How much the match conditions of a policy or webhook may cost. Upstream: apiserver/pkg/apis/cel/config.go. */
const MATCH_CONDITIONS_BUDGET = 2_500_000

/** Compiles the variables of a policy, each of which may read those before it. */
export const compileVariables = (
  variables: ReadonlyArray<Variable>,
  paramKind: ParamKind | undefined
): { readonly variables: ReadonlyMap<string, Expression>; readonly type: CelType } => {
  const types = new Map<string, CelType>()
  const compiled = new Map<string, Expression>()
  for (const { expression, name } of variables) {
    const use = { returns: "any", params: paramKind !== undefined, authorizer: true } as const
    const one = compileExpression(expression, use, variablesType(types))
    types.set(name, one.type)
    compiled.set(name, one)
  }
  return { variables: compiled, type: variablesType(types) }
}

export const compileConditions = (
  conditions: ReadonlyArray<MatchCondition>,
  params: boolean,
  variables?: CelType
): ReadonlyArray<Expression> =>
  conditions.map(({ expression }) =>
    compileExpression(expression, { returns: "bool", params, authorizer: true }, variables)
  )

/** Whether the conditions hold, or why that is unknown. */
export type Conditions = boolean | { readonly error: string }

/** Evaluates match conditions: one that is false decides. Upstream: plugin/webhook/matchconditions/matcher.go. */
export const evaluateConditions = (
  conditions: ReadonlyArray<Expression>,
  inputs: Inputs,
  failurePolicy: string | undefined
): Conditions => {
  if (conditions.length === 0) return true
  const failed = (error: string): Conditions => (failurePolicy === "Ignore" ? false : { error })
  const evaluation = new Evaluation({ ...inputs, namespaceObject: undefined }, MATCH_CONDITIONS_BUDGET)
  const outcomes: Array<ReturnType<Evaluation["evaluate"]>> = []
  try {
    for (const condition of conditions) outcomes.push(evaluation.evaluate(condition))
  } catch (error) {
    if (error instanceof OutOfBudget) return failed(error.message)
    throw error
  }
  if (outcomes.some((outcome) => "value" in outcome && outcome.value === false)) return false
  const errors = [...new Set(outcomes.flatMap((outcome) => ("error" in outcome ? [outcome.error] : [])))]
  if (errors.length === 0) return true
  return failed(errors.length === 1 ? (errors[0] ?? "") : `[${errors.join(", ")}]`)
}
