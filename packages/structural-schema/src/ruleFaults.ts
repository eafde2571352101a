import type { ErrorList, FieldErrors } from "@rollcall/api/validation"
import { printedRule } from "@rollcall/api/validation"
import { type CelType, CompileFault, celTypeOf, MAX_ESTIMATE, MAX_REQUEST_BYTES, partType } from "@rollcall/cel"
import { isSteps, type Steps } from "@rollcall/time"
import { type JsonSchema, type ValidationRule, valuesOf } from "./JsonSchema.ts"
import { RuleCosts } from "./RuleCosts.ts"
import { compileRulesInSteps, type RuleResult } from "./rules.ts"
import { FAULT_STEPS, VISIT_STEPS, type Work } from "./Work.ts"

/** A position in a schema: its path, and what it determines about rules there. */
interface Place {
  readonly at: string
  /** Whether the schema is that of an object with apiVersion, kind and metadata. */
  readonly whole: boolean
  /** The maximum number of values of the schema in an object; undefined for unlimited. */
  readonly cardinality: number | undefined
  /** The path of the enclosing list whose items have no previous state, if there is one. */
  readonly uncorrelated: string | undefined
}

/** The steps of compiling one character: with this, a definition may have some 300 kB of rules. */
const COMPILE_STEPS = 150

/**
 * Checks the rules of a schema: their meaning and their cost. Rules of a schema whose form has errors (`form`), itself or
 * in a part, are not compiled. Upstream: apiextensions-apiserver/pkg/apis/apiextensions/validation/{validation,
 * cel_validation}.go.
 */
export const checkRules = function* (
  errors: ErrorList,
  schema: JsonSchema,
  at: string,
  form: FieldErrors,
  work: Work
): Steps<void> {
  const root: Place = { at, whole: true, cardinality: 1, uncorrelated: undefined }
  work.spend(form.length * FAULT_STEPS)
  const ruled: Array<readonly [JsonSchema, Place]> = []
  eachSchema(schema, root, work, (part, place) => {
    if ((part["x-kubernetes-validations"]?.length ?? 0) === 0) return
    const isUnsound = form.some(({ field }) => field.startsWith(`${place.at}.`))
    if (!isUnsound) ruled.push([part, place])
  })
  const costs = new RuleCosts()
  for (const [part, place] of ruled) yield* checkExpressions(errors, part, place, costs, work)
  costs.checkTotal(errors, at)
}

/** Visits a schema and its parts, parts first: the order of Kubernetes' errors. */
const eachSchema = (
  schema: JsonSchema,
  place: Place,
  work: Work,
  visit: (schema: JsonSchema, place: Place) => void
): void => {
  work.spend(VISIT_STEPS)
  const cardinality = cardinalityOfParts(place.cardinality, schema)
  const inner = (at: string, part: JsonSchema, uncorrelated = place.uncorrelated): void =>
    eachSchema(
      part,
      { at, whole: part["x-kubernetes-embedded-resource"] === true, cardinality, uncorrelated },
      work,
      visit
    )
  const { at } = place
  const values = valuesOf(schema)
  if (values !== undefined) inner(`${at}.additionalProperties`, values)
  for (const name of Object.keys(schema.properties ?? {}).sort()) {
    inner(`${at}.properties[${name}]`, schema.properties?.[name] ?? {})
  }
  if (schema.items !== undefined) {
    const correlates = schema["x-kubernetes-list-type"] === "map"
    inner(`${at}.items`, schema.items, correlates ? place.uncorrelated : (place.uncorrelated ?? at))
  }
  visit(schema, place)
}

/** Returns the maximum number of values of a schema's parts. */
const cardinalityOfParts = (cardinality: number | undefined, schema: JsonSchema): number | undefined => {
  if (cardinality === undefined) return undefined
  const { maxItems, maxProperties, type } = schema
  if (type === "array")
    return maxItems === undefined ? undefined : Math.min(cardinality * Math.max(0, maxItems), MAX_ESTIMATE)
  if (type !== "object" || schema.additionalProperties === undefined) return cardinality
  return maxProperties === undefined ? undefined : Math.min(cardinality * Math.max(0, maxProperties), MAX_ESTIMATE)
}

/** Checks that the rules of a schema compile, and their cost. */
const checkExpressions = function* (
  errors: ErrorList,
  schema: JsonSchema,
  place: Place,
  costs: RuleCosts,
  work: Work
): Steps<void> {
  const rules = schema["x-kubernetes-validations"] ?? []
  for (const { messageExpression = "", rule } of rules) {
    work.spend((rule.length + messageExpression.length) * COMPILE_STEPS)
  }
  const type = place.whole ? celTypeOf(schema, true) : partType(schema)
  if (type === undefined) {
    work.spend(FAULT_STEPS)
    const detail =
      "internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations"
    errors.add("InternalError", `${place.at}.x-kubernetes-validations`, undefined, detail)
    return
  }
  const before = errors.size
  const compiling = compileRulesInSteps(schema, place.whole)
  const all = isSteps(compiling) ? yield* compiling : compiling
  all.forEach((compiled, index) => {
    const rule = rules[index]
    const at = `${place.at}.x-kubernetes-validations[${index}]`
    if (rule !== undefined) checkRule(errors, rule, compiled, { ...place, at }, maxValues(place, type), costs)
  })
  work.spend((errors.size - before) * FAULT_STEPS)
}

/** Returns the maximum number of values of a type in an object: without a limit, as many as fit into a request. */
const maxValues = ({ cardinality }: Place, { minSize }: CelType): number =>
  cardinality ?? Math.floor(MAX_REQUEST_BYTES / (minSize + 1))

const checkRule = (
  errors: ErrorList,
  rule: ValidationRule,
  compiled: RuleResult,
  { at, uncorrelated }: Place,
  times: number,
  costs: RuleCosts
): void => {
  const withoutOldSelf = () => {
    if (rule.optionalOldSelf === undefined) return
    errors.invalid(`${at}.optionalOldSelf`, rule.optionalOldSelf, "may not be set if oldSelf is not used in rule")
  }
  if (compiled instanceof CompileFault) {
    errors.invalid(`${at}.rule`, printedRule(rule), compiled.message)
    withoutOldSelf()
    return
  }
  const { holds, message, transition } = compiled
  costs.add(errors, `${at}.rule`, Math.min(holds.maxCost * times, MAX_ESTIMATE), "estimated rule cost")
  if (message instanceof CompileFault) {
    errors.invalid(`${at}.messageExpression`, printedRule(rule), message.message)
  } else if (message !== undefined) {
    costs.add(errors, `${at}.messageExpression`, message.maxCost, "estimated messageExpression cost")
  }
  if (!transition) withoutOldSelf()
  else if (uncorrelated !== undefined) {
    const text = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelated}`
    errors.invalid(`${at}.rule`, rule.rule, text)
  }
}
