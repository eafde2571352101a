import { Optional } from "@marcbachmann/cel-js"
import { type ErrorList, type FieldErrorType, omittedValue } from "@rollcall/api/validation"
import { sameValue } from "../pipeline/sameValue.ts"
import { itemsBefore } from "./itemBefore.ts"
import { child, isFields, type JsonSchema, type ValidationRule, valuesOf } from "./JsonSchema.ts"
import { type CompiledRule, celValue, compileRule, firstLine, RuleFault } from "./rules.ts"

/** Whether there is any rule in it. */
export const hasRules = (schema: JsonSchema): boolean => {
  if ((schema["x-kubernetes-validations"]?.length ?? 0) > 0) return true
  const inner = [...Object.values(schema.properties ?? {}), schema.items, valuesOf(schema)]
  return inner.some((each) => each !== undefined && hasRules(each))
}

/**
 * What the rules (`x-kubernetes-validations`) of a schema refuse. What an update leaves as it was is not judged again, but for
 * rules that look at the state before, which are asked of updates only.
 *
 * Upstream: apiextensions-apiserver/pkg/apiserver/schema/cel/validation.go.
 */
export const validateRules = (
  errors: ErrorList,
  value: unknown,
  schema: JsonSchema,
  path: string,
  old?: unknown
): void => {
  if (value === undefined || value === null) return
  for (const rule of schema["x-kubernetes-validations"] ?? []) {
    const compiled = compileRule(rule)
    if (!(compiled instanceof RuleFault)) ask(errors, compiled, value, schema, path, old)
  }
  if (Array.isArray(value)) {
    const { items } = schema
    if (items === undefined) return
    const before = itemsBefore(schema, old)
    value.forEach((item, index) => {
      validateRules(errors, item, items, `${path}[${index}]`, before(item))
    })
  } else if (isFields(value)) {
    const { properties = {} } = schema
    const values = valuesOf(schema)
    const before = isFields(old) ? old : {}
    for (const name of Object.keys(value).sort()) {
      const inner = Object.hasOwn(properties, name) ? properties[name] : values
      const at = values === inner ? `${path}[${name}]` : child(path, name)
      if (inner !== undefined) validateRules(errors, value[name], inner, at, before[name])
    }
  }
}

const ask = (
  errors: ErrorList,
  { holds, message, rule, transition }: CompiledRule,
  value: unknown,
  schema: JsonSchema,
  path: string,
  old: unknown
): void => {
  if (transition ? old === undefined && rule.optionalOldSelf !== true : old !== undefined && sameValue(value, old))
    return
  const context = {
    self: celValue(value, schema),
    ...oldSelf(rule, old === null ? undefined : old, schema)
  }
  const at = `${path}${rule.fieldPath ?? ""}` || "<nil>"
  const place = at.startsWith(".") ? at.slice(1) : at
  let held: unknown
  try {
    held = holds(context)
  } catch (error) {
    errors.invalid(place, omittedValue, `rule evaluation error: ${firstLine(error)}`)
    return
  }
  if (held === true) return
  const shown = schema.type === "object" || schema.type === "array" ? omittedValue : value
  errors.add(
    reasons[rule.reason ?? ""] ?? "FieldValueInvalid",
    place,
    shown,
    textOf(rule, message?.bind(undefined, context))
  )
}

/** The state before; as an optional value where the rule is asked without one too. */
const oldSelf = (rule: ValidationRule, old: unknown, schema: JsonSchema): object => {
  if (rule.optionalOldSelf !== true) return old === undefined ? {} : { oldSelf: celValue(old, schema) }
  return { oldSelf: old === undefined ? Optional.none() : Optional.of(celValue(old, schema)) }
}

const reasons: Readonly<Record<string, FieldErrorType>> = {
  FieldValueRequired: "FieldValueRequired",
  FieldValueForbidden: "FieldValueForbidden",
  FieldValueDuplicate: "FieldValueDuplicate"
}

const textOf = ({ message, rule }: ValidationRule, expression: (() => unknown) | undefined): string => {
  try {
    const text = expression?.()
    if (typeof text === "string" && text.trim() !== "" && !text.includes("\n")) return text
  } catch {
    // Then as if there were none.
  }
  return message ? message.trim() : `failed rule: ${rule.trim()}`
}
