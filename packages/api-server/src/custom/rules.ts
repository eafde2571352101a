import { type Compiled, CompileFault, compile } from "../cel/compile.ts"
import { type CelType, optionalOf } from "../cel/types.ts"
import { celTypeOf, partType } from "./celTypes.ts"
import type { JsonSchema, ValidationRule } from "./JsonSchema.ts"

/** A rule of a schema, made ready to be asked. */
export interface CompiledRule {
  readonly rule: ValidationRule
  readonly holds: Compiled
  readonly message: Compiled | CompileFault | undefined
  /** Looks at the state before: only updates are asked. */
  readonly transition: boolean
}

/** What became of one rule: ready, or why it cannot be run. */
export type RuleResult = CompiledRule | CompileFault

const parts = new WeakMap<JsonSchema, ReadonlyArray<RuleResult>>()
const wholes = new WeakMap<JsonSchema, ReadonlyArray<RuleResult>>()

/** The rules of a schema, made ready once. `whole`: the schema is of an object with apiVersion, kind and metadata. */
export const compiledRules = (schema: JsonSchema, whole: boolean): ReadonlyArray<RuleResult> => {
  const rules = schema["x-kubernetes-validations"] ?? []
  if (rules.length === 0) return none
  const cache = whole ? wholes : parts
  const known = cache.get(schema)
  if (known !== undefined) return known
  const type = whole ? celTypeOf(schema, true) : partType(schema)
  const made = rules.map((rule) => (type === undefined ? hidden : compileRule(rule, type)))
  cache.set(schema, made)
  return made
}

const none: ReadonlyArray<RuleResult> = []

/** Values without a type cannot be seen by rules. */
const hidden = new CompileFault("unable to convert structural schema to CEL declarations", false)

/** A rule of a type, with the message that it makes. Upstream: schema/cel/compilation.go, compileRule. */
export const compileRule = (rule: ValidationRule, self: CelType): RuleResult => {
  const variables = { self, oldSelf: rule.optionalOldSelf === true ? optionalOf(self) : self }
  const holds = compile(rule.rule, variables, self)
  if (holds instanceof CompileFault) {
    return holds.unsupported ? holds : new CompileFault(`compilation failed: ${holds.message}`, false)
  }
  if (holds.type.kind !== "bool") return new CompileFault("cel expression must evaluate to a bool", false)
  return { rule, holds, message: messageOf(rule, variables, self), transition: holds.variables.has("oldSelf") }
}

const messageOf = (
  { messageExpression }: ValidationRule,
  variables: Readonly<Record<string, CelType>>,
  self: CelType
): CompiledRule["message"] => {
  if (messageExpression === undefined || messageExpression === "") return undefined
  const made = compile(messageExpression, variables, self)
  if (made instanceof CompileFault) {
    return made.unsupported ? made : new CompileFault(`messageExpression compilation failed: ${made.message}`, false)
  }
  return made.type.kind === "string" ? made : new CompileFault("messageExpression must evaluate to a string", false)
}
