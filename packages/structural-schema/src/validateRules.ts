import { ErrorList, type FieldErrorType, omittedValue } from "@rollcall/api/validation"
import { isFields } from "@rollcall/api/values"
import {
  CelError,
  type Compiled,
  CompileFault,
  CostExceeded,
  celValue,
  Meter,
  Optional,
  RUNTIME_BUDGET,
  type Value
} from "@rollcall/cel"
import { isSteps, runAllSteps, type Steps } from "@rollcall/time"
import { child, type JsonSchema, type ValidationRule, valuesOf } from "./JsonSchema.ts"
import { type CompiledRule, compileRulesInSteps } from "./rules.ts"
import { previousItems, Sameness } from "./sameness.ts"
import { GLANCE_STEPS, Work } from "./Work.ts"

const schemasWithRules = new WeakMap<JsonSchema, boolean>()

/** Whether the schema contains any rule. */
export const hasRules = (schema: JsonSchema): boolean => {
  const known = schemasWithRules.get(schema)
  if (known !== undefined) return known
  const inner = [...Object.values(schema.properties ?? {}), schema.items, valuesOf(schema)]
  const own = (schema["x-kubernetes-validations"]?.length ?? 0) > 0
  const found = own || inner.some((each) => each !== undefined && hasRules(each))
  schemasWithRules.set(schema, found)
  return found
}

/** Thrown when no further rule may be evaluated; the error has been added. */
class RulesStopped extends Error {}

/** The evaluation of the rules for one object, with the remaining cost budget. */
interface Run {
  readonly errors: ErrorList
  /** The failures of rules for parts that an update leaves unchanged. */
  readonly warned: ErrorList
  readonly work: Work
  readonly sameness: Sameness
  budget: number
}

/**
 * Evaluates the rules (`x-kubernetes-validations`) of a schema. What fails for parts that an update leaves unchanged is
 * only `warned` of, except by rules that use the previous state, which are evaluated only on updates. Each rule may cost
 * `PER_CALL_LIMIT`, all together `RUNTIME_BUDGET`; exceeding it is an error, and no further rule is evaluated. `whole`
 * says whether the value is an object with apiVersion, kind and metadata.
 *
 * Upstream: apiextensions-apiserver/pkg/apiserver/schema/cel/validation.go.
 */
export const validateRulesInSteps = function* (
  errors: ErrorList,
  value: unknown,
  schema: JsonSchema,
  path: string,
  old?: unknown,
  whole = false,
  work: Work = new Work(),
  warned: ErrorList = new ErrorList()
): Steps<void> {
  const run = { errors, warned, work, sameness: new Sameness(), budget: RUNTIME_BUDGET }
  try {
    yield* visit(run, value, schema, path, old, whole)
  } catch (error) {
    if (!(error instanceof RulesStopped)) throw error
  }
}

/** Does the work of `validateRulesInSteps` in one piece, without pauses. */
export const validateRules = (...of: Parameters<typeof validateRulesInSteps>): void =>
  runAllSteps(validateRulesInSteps(...of))

const visit = function* (
  run: Run,
  value: unknown,
  schema: JsonSchema,
  path: string,
  old: unknown,
  whole: boolean,
  within?: Correlated
): Steps<void> {
  const { work } = run
  work.spend(GLANCE_STEPS)
  if (value === undefined || value === null || !hasRules(schema)) return
  const nearest = old === undefined || old === null ? within : { value, old, schema }
  const compiling = compileRulesInSteps(schema, whole)
  for (const compiled of isSteps(compiling) ? yield* compiling : compiling) {
    if (!(compiled instanceof CompileFault)) evaluateRule(run, compiled, { value, schema, path, old, whole, nearest })
    if (work.isPauseDue) yield work.resume()
  }
  if (Array.isArray(value)) {
    const { items } = schema
    if (items === undefined) return
    const before = previousItems(schema, old)
    for (const [index, item] of value.entries()) {
      yield* visit(run, item, items, `${path}[${index}]`, before(item), false, nearest)
      if (work.isPauseDue) yield work.resume()
    }
  } else if (isFields(value)) {
    const { properties = {} } = schema
    const values = valuesOf(schema)
    const before = isFields(old) ? old : {}
    for (const name of Object.keys(value).sort()) {
      const inner = Object.hasOwn(properties, name) ? properties[name] : values
      const at = values === inner ? `${path}[${name}]` : child(path, name)
      const previous = Object.hasOwn(before, name) ? before[name] : undefined
      if (inner !== undefined) yield* visit(run, value[name], inner, at, previous, false, nearest)
    }
  }
}

/** A value with its previous state. */
interface Correlated {
  readonly schema: JsonSchema
  readonly value: unknown
  readonly old: unknown
}

/** The value that a rule checks; `nearest` is it, or the innermost value around it, that has a previous state. */
interface Subject {
  readonly nearest: Correlated | undefined
  readonly value: unknown
  readonly schema: JsonSchema
  readonly path: string
  readonly old: unknown
  readonly whole: boolean
}

const OUT_OF_BUDGET = "running out of cost budget, no further validation rules will be run"

/** Evaluates a rule for a value, unless the value is unchanged. */
const evaluateRule = (run: Run, compiled: CompiledRule, subject: Subject): void => {
  const { holds, rule, transition } = compiled
  const { old, path, schema, value, whole } = subject
  const before = old === null ? undefined : old
  if (transition && before === undefined && rule.optionalOldSelf !== true) return
  const place = path || "<nil>"
  const type = schema.type ?? ""
  if (run.budget <= 0) stopAll(run, place, type, `validation failed due to ${OUT_OF_BUDGET}`)
  const variables = { self: celValue(value, schema, whole), ...oldSelf(rule, before, schema, whole) }
  const { cost, result } = evaluate(run, holds, variables)
  if (cost > run.budget) stopAll(run, place, type, `validation failed due to ${OUT_OF_BUDGET}`)
  run.budget -= cost
  if (result === true) return
  if (result instanceof CostExceeded) {
    const text = `'${result.message}': no further validation rules will be run due to call cost exceeds limit for rule: `
    stopAll(run, place, type, text + ruleName(rule))
  }
  if (result instanceof CelError) {
    run.errors.invalid(place, type, errorText(result, rule))
    return
  }
  const { nearest } = subject
  const isUnchanged =
    !transition && nearest !== undefined && run.sameness.isSame(nearest.value, nearest.old, nearest.schema)
  addFailure(run, isUnchanged ? run.warned : run.errors, compiled, subject, variables)
}

/** Adds an error and ends the evaluation of all rules. */
const stopAll = ({ errors }: Run, place: string, type: string, text: string): never => {
  errors.invalid(place, type, text)
  throw new RulesStopped()
}

/** The cost and the result of evaluating an expression. */
interface Outcome {
  readonly cost: number
  readonly result: Value | CostExceeded
}

/**
 * The steps of `Work` for one step of `Meter`. With this factor, all rules of an object together may take ten times as
 * many steps as one rule.
 */
const WORK_STEPS = 5

const evaluate = ({ work }: Run, { program }: Compiled, variables: Readonly<Record<string, Value>>): Outcome => {
  const meter = new Meter()
  try {
    const result = program(variables, meter)
    return { cost: meter.cost, result }
  } catch (error) {
    if (!(error instanceof CostExceeded)) throw error
    return { cost: meter.cost, result: error }
  } finally {
    work.spend(meter.steps * WORK_STEPS)
  }
}

/** Returns how errors name a rule: by its message, or by its text. */
const ruleName = ({ message, rule }: ValidationRule): string => (message ? message.trim() : rule.trim())

const errorText = ({ message }: CelError, rule: ValidationRule): string =>
  message.startsWith("no such overload")
    ? `'${message}': call arguments did not match a supported operator, function or macro signature for rule: ${ruleName(rule)}`
    : `${message} evaluating rule: ${ruleName(rule)}`

/** Returns the previous state; as an optional value if the rule is also evaluated without one. */
const oldSelf = (rule: ValidationRule, old: unknown, schema: JsonSchema, whole: boolean): { oldSelf?: Value } => {
  const known = old === undefined ? undefined : celValue(old, schema, whole)
  if (rule.optionalOldSelf === true) return { oldSelf: new Optional(known) }
  return known === undefined ? {} : { oldSelf: known }
}

const reasons: Readonly<Record<string, FieldErrorType>> = {
  FieldValueRequired: "FieldValueRequired",
  FieldValueForbidden: "FieldValueForbidden",
  FieldValueDuplicate: "FieldValueDuplicate"
}

/** Returns the place of a rule's error: its fieldPath is one name below the value, in which keys have no quotes. */
const placeOf = (path: string, { fieldPath = "" }: ValidationRule): string => {
  const below = fieldPath.replace(/^\./, "").replace(/\['((?:[^'\\]|\\.)*)'\]/g, "[$1]")
  return [path.replace(/^\./, ""), below].filter((part) => part !== "").join(".") || "<nil>"
}

/** Adds the error of a rule that does not hold. */
const addFailure = (
  run: Run,
  failures: ErrorList,
  { message, rule }: CompiledRule,
  { path, schema, value }: Subject,
  variables: Readonly<Record<string, Value>>
): void => {
  const place = placeOf(path, rule)
  const made =
    message === undefined || message instanceof CompileFault
      ? undefined
      : messageText(run, message, rule, variables, (text) => stopAll(run, place, schema.type ?? "", text))
  const shown = schema.type === "object" || schema.type === "array" ? omittedValue : value
  const detail = made ?? (rule.message ? rule.message.trim() : `failed rule: ${rule.rule.trim()}`)
  failures.add(reasons[rule.reason ?? ""] ?? "FieldValueInvalid", place, shown, detail)
}

/** Upstream: apiserver/pkg/apis/cel/config.go, MaxEvaluatedMessageExpressionSizeBytes. */
const MAX_MESSAGE_BYTES = 5 * 1024

/** Returns the text of a rule's message expression; undefined unless it is one line of limited size. */
const messageText = (
  run: Run,
  message: Compiled,
  { messageExpression = "" }: ValidationRule,
  variables: Readonly<Record<string, Value>>,
  stop: (text: string) => never
): string | undefined => {
  const { cost, result } = evaluate(run, message, variables)
  if (cost > run.budget) return stop(`messageExpression evaluation failed due to ${OUT_OF_BUDGET}`)
  if (result instanceof CostExceeded) {
    const shown = JSON.stringify(messageExpression)
    return stop(
      `no further validation rules will be run due to call cost exceeds limit for messageExpression: ${shown}`
    )
  }
  run.budget -= cost
  if (typeof result !== "string") return undefined
  const text = result.trim()
  return text === "" || text.includes("\n") || Buffer.byteLength(text) > MAX_MESSAGE_BYTES ? undefined : text
}
