import {
  type CelType,
  type Compiled,
  CompileFault,
  celTypeOf,
  compileInSteps,
  optionalOf,
  partType
} from "@rollcall/cel"
import type { MaybeSteps, Steps } from "@rollcall/time"
import type { JsonSchema, ValidationRule } from "./JsonSchema.ts"

/** A compiled rule of a schema: `holds` is its condition, `message` its message expression. */
export interface CompiledRule {
  readonly rule: ValidationRule
  readonly holds: Compiled
  readonly message: Compiled | CompileFault | undefined
  /** Whether it uses the previous state, so that it is evaluated only on updates. */
  readonly transition: boolean
}

/** The compiled rule, or why it cannot be compiled. */
export type RuleResult = CompiledRule | CompileFault

/** The compiled rules of schemas, of parts and of whole objects. */
const parts = new WeakMap<JsonSchema, ReadonlyArray<RuleResult>>()
const wholes = new WeakMap<JsonSchema, ReadonlyArray<RuleResult>>()

/**
 * Returns the compiled rules of a schema, which are cached. `whole` says whether the schema is that of an object with
 * apiVersion, kind and metadata.
 */
export const compileRulesInSteps = (schema: JsonSchema, whole: boolean): MaybeSteps<ReadonlyArray<RuleResult>> => {
  const rules = schema["x-kubernetes-validations"] ?? []
  if (rules.length === 0) return none
  const cache = whole ? wholes : parts
  return cache.get(schema) ?? compileAllInSteps(schema, rules, whole, cache)
}

const compileAllInSteps = function* (
  schema: JsonSchema,
  rules: ReadonlyArray<ValidationRule>,
  whole: boolean,
  cache: WeakMap<JsonSchema, ReadonlyArray<RuleResult>>
): Steps<ReadonlyArray<RuleResult>> {
  const type = whole ? celTypeOf(schema, true) : partType(schema)
  const made: Array<RuleResult> = []
  for (const rule of rules) {
    made.push(type === undefined ? inaccessible : yield* compileRule(rule, type))
    yield
  }
  cache.set(schema, made)
  return made
}

const none: ReadonlyArray<RuleResult> = []

/** The result for rules of values without a type, which rules cannot access. */
const inaccessible = new CompileFault("unable to convert structural schema to CEL declarations")

/**
 * Compiles a rule for the type of `self`, with its message expression. Upstream: schema/cel/compilation.go,
 * compileRule.
 */
export const compileRule = function* (rule: ValidationRule, self: CelType): Steps<RuleResult> {
  const variables = { self, oldSelf: rule.optionalOldSelf === true ? optionalOf(self) : self }
  const holds = yield* compileInSteps(rule.rule, variables, self)
  if (holds.type !== undefined && holds.type.kind !== "bool") {
    return new CompileFault("cel expression must evaluate to a bool")
  }
  if (holds instanceof CompileFault) return new CompileFault(holds.described)
  return {
    rule,
    holds,
    message: yield* compileMessage(rule, variables, self),
    transition: holds.variables.has("oldSelf")
  }
}

const compileMessage = function* (
  { messageExpression }: ValidationRule,
  variables: Readonly<Record<string, CelType>>,
  self: CelType
): Steps<CompiledRule["message"]> {
  if (messageExpression === undefined || messageExpression === "") return undefined
  const made = yield* compileInSteps(messageExpression, variables, self)
  if (made.type !== undefined && made.type.kind !== "string") {
    return new CompileFault("messageExpression must evaluate to a string")
  }
  if (!(made instanceof CompileFault)) return made
  return new CompileFault(`messageExpression ${made.phase} failed: ${made.message}`)
}
