import { type ErrorList, type FieldErrorType, omittedValue } from "@rollcall/api/validation"
import { isFields } from "../../core/objects/values.ts"
import { finished, isSteps, type Steps } from "../../core/turns/Steps.ts"
import { type Compiled, CompileFault } from "../cel/compile.ts"
import { CostExceeded, Meter, RUNTIME_BUDGET } from "../cel/Meter.ts"
import { CelError, Optional, type Value } from "../cel/values.ts"
import { child, type JsonSchema, type ValidationRule, valuesOf } from "../schema/JsonSchema.ts"
import { itemsBefore, Sameness } from "../schema/sameness.ts"
import { GLANCE_STEPS, Work } from "../work/Work.ts"
import { celValue } from "./celValues.ts"
import { type CompiledRule, compilingRules } from "./rules.ts"

const ruled = new WeakMap<JsonSchema, boolean>()

/** Whether there is any rule in it. */
export const hasRules = (schema: JsonSchema): boolean => {
  const known = ruled.get(schema)
  if (known !== undefined) return known
  const inner = [...Object.values(schema.properties ?? {}), schema.items, valuesOf(schema)]
  const own = (schema["x-kubernetes-validations"]?.length ?? 0) > 0
  const found = own || inner.some((each) => each !== undefined && hasRules(each))
  ruled.set(schema, found)
  return found
}

/** Thrown where no further rule may be run: the fault that says so has been added. */
class RulesEnded extends Error {}

/** The rules that one object is asked, and what they may still cost together. */
interface Run {
  readonly errors: ErrorList
  readonly work: Work
  readonly sameness: Sameness
  budget: number
}

/**
 * What the rules (`x-kubernetes-validations`) of a schema refuse. What an update leaves as it was is not judged again, but for
 * rules that look at the state before, which are asked of updates only. Each rule may cost `PER_CALL_LIMIT`, all of them together
 * `RUNTIME_BUDGET`; what goes beyond is refused, and no further rule is run. `whole`: the value is an object with its metadata.
 *
 * Upstream: apiextensions-apiserver/pkg/apiserver/schema/cel/validation.go.
 */
export const validatingRules = function* (
  errors: ErrorList,
  value: unknown,
  schema: JsonSchema,
  path: string,
  old?: unknown,
  whole = false,
  work: Work = new Work()
): Steps<void> {
  try {
    yield* visit({ errors, work, sameness: new Sameness(), budget: RUNTIME_BUDGET }, value, schema, path, old, whole)
  } catch (error) {
    if (!(error instanceof RulesEnded)) throw error
  }
}

/** The same at once. */
export const validateRules = (...of: Parameters<typeof validatingRules>): void => finished(validatingRules(...of))

const visit = function* (
  run: Run,
  value: unknown,
  schema: JsonSchema,
  path: string,
  old: unknown,
  whole: boolean
): Steps<void> {
  const { work } = run
  work.spend(GLANCE_STEPS)
  if (value === undefined || value === null || !hasRules(schema)) return
  const compiling = compilingRules(schema, whole)
  for (const compiled of isSteps(compiling) ? yield* compiling : compiling) {
    if (!(compiled instanceof CompileFault)) ask(run, compiled, { value, schema, path, old, whole })
    if (work.isPauseDue) yield work.resume()
  }
  if (Array.isArray(value)) {
    const { items } = schema
    if (items === undefined) return
    const before = itemsBefore(schema, old)
    for (const [index, item] of value.entries()) {
      yield* visit(run, item, items, `${path}[${index}]`, before(item), false)
      if (work.isPauseDue) yield work.resume()
    }
  } else if (isFields(value)) {
    const { properties = {} } = schema
    const values = valuesOf(schema)
    const before = isFields(old) ? old : {}
    for (const name of Object.keys(value).sort()) {
      const inner = Object.hasOwn(properties, name) ? properties[name] : values
      const at = values === inner ? `${path}[${name}]` : child(path, name)
      if (inner !== undefined) yield* visit(run, value[name], inner, at, before[name], false)
    }
  }
}

/** What a rule is asked about. */
interface Subject {
  readonly value: unknown
  readonly schema: JsonSchema
  readonly path: string
  readonly old: unknown
  readonly whole: boolean
}

const exhausted = "running out of cost budget, no further validation rules will be run"

const ask = (run: Run, compiled: CompiledRule, subject: Subject): void => {
  const { holds, rule, transition } = compiled
  const { old, path, schema, value, whole } = subject
  const before = old === null ? undefined : old
  if (transition && before === undefined && rule.optionalOldSelf !== true) return
  if (!transition && before !== undefined && run.sameness.of(value, before)) return
  const place = path || "<nil>"
  const type = schema.type ?? ""
  if (run.budget <= 0) end(run, place, type, `validation failed due to ${exhausted}`)
  const variables = { self: celValue(value, schema, whole), ...oldSelf(rule, before, schema, whole) }
  const { cost, result } = call(run, holds, variables)
  if (cost > run.budget) end(run, place, type, `validation failed due to ${exhausted}`)
  run.budget -= cost
  if (result === true) return
  if (result instanceof CostExceeded) {
    const text = `'${result.message}': no further validation rules will be run due to call cost exceeds limit for rule: `
    end(run, place, type, text + ruleName(rule))
  }
  if (result instanceof CelError) {
    run.errors.invalid(place, type, failure(result, rule))
    return
  }
  refuse(run, compiled, subject, variables)
}

const end = ({ errors }: Run, place: string, type: string, text: string): never => {
  errors.invalid(place, type, text)
  throw new RulesEnded()
}

interface Outcome {
  readonly cost: number
  readonly result: Value | CostExceeded
}

/** A step of a call in steps of the work on an object: all rules of an object together take ten times what one may. */
const CALL_STEP = 5

const call = ({ work }: Run, { program }: Compiled, variables: Readonly<Record<string, Value>>): Outcome => {
  const meter = new Meter()
  try {
    const result = program(variables, meter)
    return { cost: meter.cost, result }
  } catch (error) {
    if (!(error instanceof CostExceeded)) throw error
    return { cost: meter.cost, result: error }
  } finally {
    work.spend(meter.steps * CALL_STEP)
  }
}

const ruleName = ({ message, rule }: ValidationRule): string => (message ? message.trim() : rule.trim())

const failure = ({ message }: CelError, rule: ValidationRule): string =>
  message.startsWith("no such overload")
    ? `'${message}': call arguments did not match a supported operator, function or macro signature for rule: ${ruleName(rule)}`
    : `${message} evaluating rule: ${ruleName(rule)}`

/** The state before; as an optional value where the rule is asked without one too. */
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

const refuse = (
  run: Run,
  { message, rule }: CompiledRule,
  { path, schema, value }: Subject,
  variables: Readonly<Record<string, Value>>
): void => {
  const at = `${path}${rule.fieldPath ?? ""}` || "<nil>"
  const place = at.startsWith(".") ? at.slice(1) : at
  const made =
    message === undefined || message instanceof CompileFault
      ? undefined
      : messageText(run, message, rule, variables, (text) => end(run, place, schema.type ?? "", text))
  const shown = schema.type === "object" || schema.type === "array" ? omittedValue : value
  const detail = made ?? (rule.message ? rule.message.trim() : `failed rule: ${rule.rule.trim()}`)
  run.errors.add(reasons[rule.reason ?? ""] ?? "FieldValueInvalid", place, shown, detail)
}

/** Upstream: apiserver/pkg/apis/cel/config.go, MaxEvaluatedMessageExpressionSizeBytes. */
const MAX_MESSAGE_BYTES = 5 * 1024

/** The text that the rule's own expression gives; undefined where it gives none that may be shown. */
const messageText = (
  run: Run,
  message: Compiled,
  { messageExpression = "" }: ValidationRule,
  variables: Readonly<Record<string, Value>>,
  stop: (text: string) => never
): string | undefined => {
  const { cost, result } = call(run, message, variables)
  if (cost > run.budget) return stop(`messageExpression evaluation failed due to ${exhausted}`)
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
