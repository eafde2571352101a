import type { ParseResult } from "@marcbachmann/cel-js"
import { parseTime } from "@rollcall/api"
import { environment, optionalEnvironment } from "./celEnvironment.ts"
import { isFields, type JsonSchema, type ValidationRule, valuesOf } from "./JsonSchema.ts"

/** A rule of a schema, made ready to be asked. */
export interface CompiledRule {
  readonly rule: ValidationRule
  readonly holds: ParseResult
  readonly message: ParseResult | undefined
  /** Looks at the state before: only updates are asked. */
  readonly transition: boolean
}

const compiled = new WeakMap<ValidationRule, CompiledRule | RuleFault>()

/** Why a rule cannot be run here. */
export class RuleFault {
  readonly message: string
  constructor(message: string) {
    this.message = message
  }
}

const parse = (text: string, { optionalOldSelf }: ValidationRule): ParseResult => {
  const parsed = (optionalOldSelf === true ? optionalEnvironment : environment).parse(text)
  const { error, valid } = parsed.check()
  if (!valid) throw error
  return parsed
}

/** A rule ready to be asked, made once; or why it cannot be. */
export const compileRule = (rule: ValidationRule): CompiledRule | RuleFault => {
  const known = compiled.get(rule)
  if (known !== undefined) return known
  const made = compile(rule)
  compiled.set(rule, made)
  return made
}

const compile = (rule: ValidationRule): CompiledRule | RuleFault => {
  try {
    return {
      rule,
      holds: parse(rule.rule, rule),
      message: rule.messageExpression ? parse(rule.messageExpression, rule) : undefined,
      transition: /\boldSelf\b/.test(rule.rule)
    }
  } catch (error) {
    return new RuleFault(firstLine(error))
  }
}

/** Messages of the library show the place in the rule in further lines. */
export const firstLine = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split("\n")[0] ?? ""

/** What a rule sees of a value: integers as CEL has them, times as times. Upstream: apiserver/pkg/cel/common/values.go. */
export const celValue = (value: unknown, schema: JsonSchema): unknown => {
  if (typeof value === "number") {
    return Number.isInteger(value) && schema.type !== "number" ? BigInt(value) : value
  }
  if (typeof value === "string") return celText(value, schema)
  if (Array.isArray(value)) return value.map((item) => celValue(item, schema.items ?? {}))
  if (!isFields(value)) return value
  const { properties = {} } = schema
  const values = valuesOf(schema) ?? {}
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      escaped(name),
      celValue(inner, (Object.hasOwn(properties, name) ? properties[name] : undefined) ?? values)
    ])
  )
}

const celText = (text: string, { format }: JsonSchema): unknown => {
  if (format !== "date-time" && format !== "date") return text
  const time = parseTime(format === "date" ? `${text}T00:00:00Z` : text)
  return Number.isNaN(time) ? text : environment.evaluate("timestamp(at)", { at: BigInt(Math.trunc(time / 1000)) })
}

const reserved: ReadonlySet<string> = new Set(
  "true false null in as break const continue else for function if import let loop package namespace return".split(" ")
)

/** Names that CEL cannot say have another in rules. Upstream: apiserver/third_party/forked/celopenapi/model/schemas.go, Escape. */
const escaped = (name: string): string => {
  if (reserved.has(name)) return `__${name}__`
  if (!/[./-]|__/.test(name)) return name
  const text = name
    .replaceAll("__", "__underscores__")
    .replaceAll(".", "__dot__")
    .replaceAll("-", "__dash__")
    .replaceAll("/", "__slash__")
  return /^[A-Za-z_]\w*$/.test(text) ? text : name
}
